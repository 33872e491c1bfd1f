export * from './conformance';
export * from './operations';
export * from './strict-document';

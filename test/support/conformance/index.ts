export * from './conformance-validator';
export * from './operation-index';
export * from './strict-document';

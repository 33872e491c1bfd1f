export * from './conformance-validator';
export * from './event-violations';
export * from './operation-index';
export * from './strict-document';

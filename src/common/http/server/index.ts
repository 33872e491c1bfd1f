export { compressResponse } from './compress-response';
export { awaitsContinue, sendContinue } from './expect-header';
export * from './graceful-express-adapter';
export * from './require-valid-request-head';

export { buildOpenApiDocument } from './document';
export * from './openapi.module';

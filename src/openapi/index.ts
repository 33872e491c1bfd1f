export { EXTERNAL_API, externalRoutes, openApiDocument } from './document';
export * from './openapi.module';

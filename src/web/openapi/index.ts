export * from './example';
export * from './json-schema';
export { OpenApiDocumentService } from './openapi-document.service';
export * from './openapi.module';
export * from './servers';

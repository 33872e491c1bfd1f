export { buildOpenApiDocument, DEVICE_API_DOCUMENT, EXTERNAL_API_DOCUMENT } from './document';
export { OpenApiDocumentService } from './openapi-document.service';
export * from './openapi.module';

export type { OpenApiDocument } from './openapi-types';
export { API_REFERENCE, DEVICE_API_REFERENCE, type ReferenceDefinition } from './reference-definitions';
export { OperationPage } from './operation-page';
export {
  buildReferenceModel,
  type ReferenceModel,
  type ReferenceOperation,
  type ReferenceTag,
} from './reference-model';
export { buildOperationPath, buildReferenceNavigation, ReferenceOverview, TagPage } from './reference-pages';
export { writeOperationMarkdown } from './operation-markdown';
export { writeOverviewMarkdown, writeTagMarkdown } from './reference-markdown';

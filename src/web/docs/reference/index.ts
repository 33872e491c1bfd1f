export type { OpenApiDocument } from './openapi-types';
export { OperationPage } from './operation-page';
export {
  buildReferenceModel,
  type ReferenceModel,
  type ReferenceOperation,
  type ReferenceTag,
} from './reference-model';
export {
  buildOperationPath,
  buildReferenceNavigation,
  buildTagPath,
  ReferenceOverview,
  TagPage,
} from './reference-pages';
export { writeOperationMarkdown } from './operation-markdown';

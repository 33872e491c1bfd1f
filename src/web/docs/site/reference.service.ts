import { Injectable } from '@nestjs/common';
import { Config } from '../../../core/config';
import { OpenApiDocumentService } from '../../openapi';
import {
  API_REFERENCE,
  buildOperationPath,
  buildReferenceModel,
  DEVICE_API_REFERENCE,
  type OpenApiDocument,
  type ReferenceDefinition,
  type ReferenceModel,
  type ReferenceOperation,
  type ReferenceTag,
} from '../reference';

/** What a path of a reference shows: an operation, a tag, or without both the first page. */
export interface FoundReference {
  model: ReferenceModel;
  tag?: ReferenceTag;
  operation?: ReferenceOperation;
}

/** Host in the examples of the committed documents, which doesn't exist. */
const EXAMPLE_ORIGIN = 'https://api.test';

/** The references of the served OpenAPI documents, built on first use. */
@Injectable()
export class ReferenceService {
  private models: readonly ReferenceModel[] | undefined;

  constructor(
    private readonly config: Config,
    private readonly openApiDocument: OpenApiDocumentService,
  ) {}

  listModels(): readonly ReferenceModel[] {
    const { externalApi, deviceApi } = this.openApiDocument;
    return (this.models ??= [
      this.buildModel(externalApi.text, API_REFERENCE),
      this.buildModel(deviceApi.text, DEVICE_API_REFERENCE),
    ]);
  }

  findPage(path: string): FoundReference | undefined {
    const model = this.listModels().find(({ definition }) => `${path}/`.startsWith(`${definition.path}/`));
    if (!model || path === model.definition.path) return model && { model };
    for (const tag of model.tags) {
      if (tag.path === path) return { model, tag };
      const operation = tag.operations.find((each) => buildOperationPath(tag, each) === path);
      if (operation) return { model, tag, operation };
    }
    return undefined;
  }

  private buildModel(text: string, definition: ReferenceDefinition): ReferenceModel {
    const document = JSON.parse(text.replaceAll(EXAMPLE_ORIGIN, this.config.publicUrl)) as OpenApiDocument;
    return buildReferenceModel(document, definition);
  }
}

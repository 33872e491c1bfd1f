import type { INestApplication, Type } from '@nestjs/common';
import { getInputTypes, getOperationSpec, type Route } from '../../../src/common/http';
import { PageQueryDto } from '../../../src/common/pages';
import { buildEventSchemas, listEventModels } from './event-catalog';
import { buildHeaderComponents } from './headers';
import type { DocumentDefinition } from './document-definition';
import { buildModelSchemas, buildSwaggerDocument, pickUsedSchemas } from './model-schemas';
import { buildOperationObject, createResponseRegistry } from './operation-object';
import { openResponseValues } from './open-values';
import { buildParameterComponents } from './parameters';
import { buildProblemSchemas } from './problem-schemas';
import { buildStreamSchemas, STREAMED_CONTENT_MODELS } from './stream-events';
import { buildWebhooks } from './webhooks';
import type { OpenApiObject } from '../../../src/web/openapi';

export { DEVICE_API_DOCUMENT } from './device-api-document';
export { EXTERNAL_API_DOCUMENT } from './document-head';

/** Returns the routes that the document describes, in its order. */
function listDocumentedRoutes(routes: readonly Route[], definition: DocumentDefinition): Route[] {
  const getSortKey = (route: Route) => `${route.path} ${route.method}`;
  return routes
    .filter((route) => definition.includesRoute(route))
    .sort((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
}

/** Builds an OpenAPI 3.1 document from the running application. */
export function buildOpenApiDocument(
  app: INestApplication,
  routes: readonly Route[],
  definition: DocumentDefinition,
): OpenApiObject {
  const documented = listDocumentedRoutes(routes, definition);
  const modelTypes = [
    PageQueryDto,
    ...listEventModels(),
    ...STREAMED_CONTENT_MODELS,
    ...documented.flatMap(listModels),
  ];
  const swaggerDocument = buildSwaggerDocument(app, modelTypes);
  const models = buildModelSchemas(swaggerDocument, modelTypes);
  const { components: responses, registerResponse } = createResponseRegistry();
  const paths: Record<string, OpenApiObject> = {};
  for (const route of documented) {
    const { path, servers } = definition.resolvePath(route.path);
    const item = (paths[path] ??= servers ? { servers } : {});
    const method = route.method.toLowerCase() as 'get';
    item[method] = buildOperationObject(route, definition, models, registerResponse);
  }
  const eventSchemas = buildEventSchemas();
  const webhooks = definition.hasWebhooks ? buildWebhooks({ ...models, ...eventSchemas }) : {};
  const parameters = buildParameterComponents([paths, webhooks], models.PageQuery!);
  const schemas = {
    ...models,
    ...eventSchemas,
    ...buildStreamSchemas(models),
    ...buildProblemSchemas(definition.bucketNames),
  };
  return openResponseValues({
    ...definition.head,
    tags: buildTags(definition, [paths, webhooks]),
    paths,
    ...(definition.hasWebhooks && { webhooks }),
    components: {
      securitySchemes: definition.securitySchemes,
      parameters,
      headers: buildHeaderComponents([paths, responses]),
      responses: sortByKey(responses),
      schemas: pickUsedSchemas(schemas, paths, webhooks, responses, parameters),
    },
  });
}

/** Builds `tags` with those that operations of these paths have. */
function buildTags({ tags }: DocumentDefinition, pathItems: readonly Record<string, OpenApiObject>[]): OpenApiObject[] {
  const operations = pathItems.flatMap((items) => Object.values(items).flatMap((item) => Object.values(item)));
  const usedNames = new Set(operations.flatMap((operation) => (operation as { tags?: string[] }).tags ?? []));
  return Object.entries(tags)
    .filter(([name]) => usedNames.has(name))
    .map(([name, description]) => ({ name, description }));
}

function listModels({ controller, handler }: Route): Type[] {
  const { body, query } = getInputTypes(controller, handler.name);
  const spec = getOperationSpec(handler);
  const answerTypes = [spec?.response, spec?.control?.response].flatMap((answer) => {
    if (answer && 'types' in answer) return answer.types;
    return answer && 'type' in answer ? [answer.type] : [];
  });
  return [body, query, spec?.formType, spec?.queryType, ...answerTypes].filter((model) => model !== undefined);
}

function sortByKey(values: OpenApiObject): OpenApiObject {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

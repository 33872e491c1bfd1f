import type { INestApplication, Type } from '@nestjs/common';
import { getRoutePolicy } from '../../../access/auth';
import { getInputTypes, getOperationSpec, type Route } from '../../../common/http';
import { PageQueryDto } from '../../../common/pages';
import { buildHeaderComponents } from './headers';
import { DOCUMENT_HEAD, SECURITY_SCHEMES } from './document-head';
import { buildModelSchemas, buildSwaggerDocument, pickUsedSchemas } from './model-schemas';
import { buildOperationObject, createResponseRegistry } from './operation-object';
import { buildParameterComponents } from './parameters';
import { buildProblemSchemas } from './problem-schemas';
import type { OpenApiObject } from './json-schema';
import { isExternalApiPath, resolveDocumentPath } from './servers';

export { withServerUrl } from './servers';

/**
 * Returns the routes of the External API and root routes that declare an operation, in the document's order. Control
 * routes have the same operations as the External API, for other callers.
 */
function listDocumentedRoutes(routes: readonly Route[]): Route[] {
  const getSortKey = (route: Route) => `${route.path} ${route.method}`;
  return routes
    .filter((route) => isExternalApiPath(route.path) || getOperationSpec(route.handler) !== undefined)
    .filter((route) => getRoutePolicy(route)?.kind !== 'control')
    .sort((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
}

/** Builds the OpenAPI 3.1 document from the running application. */
export function buildOpenApiDocument(app: INestApplication, routes: readonly Route[]): OpenApiObject {
  const documented = listDocumentedRoutes(routes);
  const modelTypes = [PageQueryDto, ...documented.flatMap(listModels)];
  const swaggerDocument = buildSwaggerDocument(app, modelTypes);
  const models = buildModelSchemas(swaggerDocument, modelTypes);
  const { components: responses, registerResponse } = createResponseRegistry();
  const paths: Record<string, OpenApiObject> = {};
  for (const route of documented) {
    const { path, servers } = resolveDocumentPath(route.path);
    const item = (paths[path] ??= servers ? { servers } : {});
    const method = route.method.toLowerCase() as 'get';
    item[method] = buildOperationObject(route, swaggerDocument.paths[route.path]![method]!, models, registerResponse);
  }
  const parameters = buildParameterComponents(paths, models.PageQuery!);
  return {
    ...DOCUMENT_HEAD,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters,
      headers: buildHeaderComponents([paths, responses]),
      responses: sortByKey(responses),
      schemas: pickUsedSchemas({ ...models, ...buildProblemSchemas() }, paths, responses, parameters),
    },
  };
}

function listModels({ controller, handler }: Route): Type[] {
  const { body, query } = getInputTypes(controller, handler.name);
  const spec = getOperationSpec(handler);
  const answer = spec?.response;
  const answerTypes =
    answer && 'types' in answer ? answer.types : [answer && 'type' in answer ? answer.type : undefined];
  return [body, query, spec?.formType, spec?.queryType, ...answerTypes].filter((model) => model !== undefined);
}

function sortByKey(values: OpenApiObject): OpenApiObject {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

import type { INestApplication, Type } from '@nestjs/common';
import { inputTypesOf, operationOf, type Route } from '../../common/http';
import { PageQuery } from '../../common/pages';
import { headerComponents } from './headers';
import { HEAD, SECURITY_SCHEMES } from './info';
import { modelSchemas, usedSchemas } from './model-schemas';
import { operationObject, responseKeeper } from './operation-object';
import { parameterComponents } from './parameters';
import { problemSchemas } from './problems';
import type { Json } from './schema';

export const EXTERNAL_API = '/external/v1';

/** Routes of the External API, in the document's order. */
export function externalRoutes(routes: readonly Route[]): Route[] {
  const order = (route: Route) => `${route.path} ${route.method}`;
  return routes
    .filter(({ path }) => path.startsWith(`${EXTERNAL_API}/`))
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** The OpenAPI 3.1 document of everything under {@link EXTERNAL_API}, from the running application. */
export function openApiDocument(app: INestApplication, routes: readonly Route[]): Json {
  const external = externalRoutes(routes);
  const models = modelSchemas(app, [PageQuery, ...external.flatMap(modelsOf)]);
  const { components: responses, keep } = responseKeeper();
  const paths: Record<string, Json> = {};
  for (const route of external) {
    const path = (paths[route.path.slice(EXTERNAL_API.length)] ??= {});
    path[route.method.toLowerCase()] = operationObject(route, models, keep);
  }
  const parameters = parameterComponents(paths, models.PageQuery!);
  return {
    ...HEAD,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters,
      headers: headerComponents([paths, responses]),
      responses: sorted(responses),
      schemas: usedSchemas({ ...models, ...problemSchemas() }, paths, responses, parameters),
    },
  };
}

function modelsOf({ controller, handler }: Route): Type[] {
  const { body, query } = inputTypesOf(controller, handler.name);
  const spec = operationOf(handler);
  const answer = spec?.answer;
  const answers = answer && 'types' in answer ? answer.types : [answer && 'type' in answer ? answer.type : undefined];
  return [body, query, spec?.form, spec?.query, ...answers].filter((model) => model !== undefined);
}

function sorted(values: Json): Json {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

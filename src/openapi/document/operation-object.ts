import { HttpStatus, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants';
import { isAppScope, policyOf } from '../../auth';
import { inputTypesOf, operationOf, type Route } from '../../common/http';
import { deprecationOf } from '../../deprecations';
import { bucketOf } from '../../rate-limit';
import { takesBody, type RouteFacts } from './derived-errors';
import { exampleOf } from './example';
import { BEARER, CLIENT, OAUTH } from './info';
import { isOAuthEndpoint, oauthErrorResponses } from './oauth-responses';
import { parametersOf } from './parameters';
import { errorResponses } from './responses';
import { ref, schemaRef, type Json, type Schemas } from './schema';
import { successResponses } from './success';
import { componentName } from './to-31';

const FORM = 'application/x-www-form-urlencoded';

/** Keeps a response among the components and gives a reference to it. */
export type KeepResponse = (name: string, response: Json) => Json;

export function routeFacts(route: Route): RouteFacts {
  const { method, path, handler } = route;
  const spec = operationOf(handler);
  const policy = policyOf(handler);
  if (!spec || !policy) throw new Error(`${method} ${path} declares no @Operation or no policy.`);
  const bucket = policy.kind === 'token' ? bucketOf('token', handler) : null;
  return {
    method,
    path,
    policy,
    spec,
    bucket: bucket as RouteFacts['bucket'],
    deprecation: deprecationOf(handler),
  };
}

/** The Operation Object of a route, from its declarations alone. */
export function operationObject(route: Route, schemas: Schemas, keep: KeepResponse): Json {
  const facts = routeFacts(route);
  const { spec, policy, bucket, deprecation } = facts;
  const { body, query } = inputTypesOf(route.controller, route.handler.name);
  const scopes = policy.kind === 'token' ? policy.scopes : [];
  const parameters = parametersOf(facts, query ?? spec.query, schemas);
  const refusals = isOAuthEndpoint(facts) ? oauthErrorResponses(facts) : errorResponses(facts);
  const errors = Object.entries(refusals).map(([status, { name, response }]) => [status, keep(name, response)]);
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.description,
    ...(deprecation && { deprecated: true }),
    security: securityOf(facts),
    'x-required-scopes': scopes,
    'x-rate-limit-bucket': bucket,
    ...(parameters.length > 0 && { parameters }),
    ...(body && takesBody(facts) && { requestBody: requestBody(body, facts, schemas) }),
    ...(spec.form && { requestBody: requestBody(spec.form, facts, schemas, FORM) }),
    responses: {
      ...successResponses(facts, successStatus(route), schemas),
      ...Object.fromEntries(errors),
    },
  };
}

/** The ways to be authorized, any one of them. */
function securityOf({ policy }: RouteFacts): Json[] {
  switch (policy.kind) {
    case 'token':
      return [{ [BEARER]: policy.scopes }, ...(policy.scopes.every(isAppScope) ? [{ [OAUTH]: policy.scopes }] : [])];
    // Empty: by client_id and client_secret in the form.
    case 'client':
      return [{ [CLIENT]: [] }, {}];
    case 'device':
    case 'session':
    case 'public':
      return [];
  }
}

function requestBody(body: Type, { spec }: RouteFacts, schemas: Schemas, type = 'application/json'): Json {
  const schema = schemaRef(componentName(body.name));
  const example = spec.examples?.request ?? exampleOf(schema, schemas);
  return { required: true, content: { [type]: { schema, example } } };
}

/** As the framework chooses it. */
function successStatus({ method, handler }: Route): number {
  if (operationOf(handler)?.answer.kind === 'redirect') return HttpStatus.SEE_OTHER;
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return declared ?? (method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK);
}

/** A `keep` that shares equal responses, and names those that differ by what is particular to them. */
export function responseKeeper(): { components: Json; keep: KeepResponse } {
  const components: Json = {};
  const keep: KeepResponse = (name, response) => {
    const text = JSON.stringify(response);
    for (let variant = 1; ; variant++) {
      const key = variant === 1 ? name : `${name}${variant}`;
      if (components[key] === undefined) components[key] = response;
      if (JSON.stringify(components[key]) === text) return ref('responses', key);
    }
  };
  return { components, keep };
}

import { HttpStatus, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants';
import { policyOf } from '../../auth';
import { inputTypesOf, operationOf, type Route } from '../../common/http';
import { deprecationOf } from '../../deprecations';
import { bucketOf } from '../../rate-limit';
import { takesBody, type RouteFacts } from './derived-errors';
import { exampleOf } from './example';
import { BEARER } from './info';
import { parametersOf } from './parameters';
import { errorResponses } from './responses';
import { ref, schemaRef, type Json, type Schemas } from './schema';
import { successResponses } from './success';
import { componentName } from './to-31';

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
  const parameters = parametersOf(facts, query, schemas);
  const errors = Object.entries(errorResponses(facts)).map(([status, { name, response }]) => [
    status,
    keep(name, response),
  ]);
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.description,
    ...(deprecation && { deprecated: true }),
    security: policy.kind === 'token' ? [{ [BEARER]: scopes }] : [],
    'x-required-scopes': scopes,
    'x-rate-limit-bucket': bucket,
    ...(parameters.length > 0 && { parameters }),
    ...(body && takesBody(facts) && { requestBody: requestBody(body, facts, schemas) }),
    responses: {
      ...successResponses(facts, successStatus(route), schemas),
      ...Object.fromEntries(errors),
    },
  };
}

function requestBody(body: Type, { spec }: RouteFacts, schemas: Schemas): Json {
  const schema = schemaRef(componentName(body.name));
  const example = spec.examples?.request ?? exampleOf(schema, schemas);
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** As the framework chooses it. */
function successStatus({ method, handler }: Route): number {
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

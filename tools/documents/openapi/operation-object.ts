import { changesData } from '../../../src/access/read-only';
import { HttpStatus, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants';
import { acceptsBrowserCalls, isAppScope, getPermittedDeviceKinds, getRoutePolicy } from '../../../src/access/auth';
import { getInputTypes, getOperationSpec, type Route } from '../../../src/common/http';
import { getDeprecation } from '../../../src/access/deprecation';
import { acceptsIdempotencyKey } from '../../../src/access/idempotency';
import { DOCUMENTED_BUCKET_NAMES, getRouteRateLimit } from '../../../src/access/rate-limiting';
import { canHaveBody, type RouteFacts } from './derived-errors';
import { CSRF_TOKEN_SCHEME, LOGIN_COOKIE_SCHEME } from './device-api-document';
import type { DocumentDefinition } from './document-definition';
import {
  buildExample,
  createComponentRef,
  createSchemaRef,
  getComponentName,
  type OpenApiObject,
  type SchemasByName,
} from '../../../src/web/openapi';
import { BEARER_SCHEME, CLIENT_SCHEME, DEVICE_SCHEME, OAUTH_SCHEME } from './document-head';
import { isOAuthEndpoint, buildOAuthErrorResponses } from './oauth-error-responses';
import { buildParameters } from './parameters';
import { buildErrorResponses } from './error-responses';
import { buildSuccessResponses } from './success-responses';

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** Adds a response to the components and returns a reference to it. */
export type RegisterResponse = (name: string, response: OpenApiObject) => OpenApiObject;

export function readRouteFacts(route: Route, { hasBrowserLogin = false } = {}): RouteFacts {
  const { method, path, handler } = route;
  const declaredSpec = getOperationSpec(handler);
  const policy = getRoutePolicy(route);
  if (!declaredSpec || !policy) throw new Error(`${method} ${path} declares no @Operation or no policy.`);
  const spec = policy.kind === 'control' ? { ...declaredSpec, ...declaredSpec.control } : declaredSpec;
  const rateLimit = getRouteRateLimit(route);
  // Only the buckets of accounts and devices are announced in headers.
  const bucket = rateLimit && rateLimit.by !== 'address' ? rateLimit.bucket : null;
  if (bucket && !DOCUMENTED_BUCKET_NAMES.includes(bucket)) {
    throw new Error(`${method} ${path} consumes from "${bucket}", which DOCUMENTED_BUCKET_NAMES does not contain.`);
  }
  return {
    method,
    path,
    policy,
    spec,
    bucket,
    isLimitedByAddress: rateLimit?.by === 'address',
    acceptsLogin: hasBrowserLogin && acceptsBrowserCalls(policy),
    acceptsIdempotencyKey: acceptsIdempotencyKey(handler),
    changesData: changesData(handler),
    deprecation: getDeprecation(handler),
  };
}

/** Builds the Operation Object of a route: its description, and what follows from its other decorators. */
export function buildOperationObject(
  route: Route,
  definition: DocumentDefinition,
  schemasByName: SchemasByName,
  registerResponse: RegisterResponse,
): OpenApiObject {
  const facts = readRouteFacts(route, definition);
  const { spec, policy, bucket, deprecation } = facts;
  const isControl = policy.kind === 'control';
  const { body, query } = getInputTypes(route.controller, route.handler.name);
  const scopes = policy.kind === 'token' ? policy.scopes : [];
  const parameters = buildParameters(facts, query ?? spec.queryType, schemasByName);
  const responsesByStatus = isOAuthEndpoint(facts) ? buildOAuthErrorResponses(facts) : buildErrorResponses(facts);
  const errors = Object.entries(responsesByStatus).map(([status, { name, response }]) => [
    status,
    registerResponse(name, response),
  ]);
  return {
    operationId: isControl ? `control${spec.id[0]!.toUpperCase()}${spec.id.slice(1)}` : spec.id,
    tags: [isControl ? 'Control' : spec.tag],
    summary: spec.summary,
    description: spec.description,
    ...(deprecation && { deprecated: true }),
    security: buildSecurity(facts),
    'x-required-scopes': scopes,
    ...((policy.kind === 'device' || isControl) && { 'x-device-kinds': getPermittedDeviceKinds(policy.permission) }),
    'x-rate-limit-bucket': bucket,
    ...(parameters.length > 0 && { parameters }),
    ...(body && canHaveBody(facts) && { requestBody: buildRequestBody(body, facts, schemasByName) }),
    ...(spec.formType && {
      requestBody: buildRequestBody(spec.formType, facts, schemasByName, FORM_MEDIA_TYPE),
    }),
    responses: {
      ...buildSuccessResponses(facts, getSuccessStatus(route), schemasByName),
      ...Object.fromEntries(errors),
    },
  };
}

/** Builds the alternative security requirements. */
function buildSecurity({ policy, acceptsLogin }: RouteFacts): OpenApiObject[] {
  switch (policy.kind) {
    case 'token':
      return [
        { [BEARER_SCHEME]: policy.scopes },
        ...(policy.scopes.every(isAppScope) && !policy.isPatOnly ? [{ [OAUTH_SCHEME]: policy.scopes }] : []),
      ];
    // The empty requirement stands for client_id and client_secret in the form.
    case 'client':
      return [{ [CLIENT_SCHEME]: [] }, {}];
    case 'device':
    case 'control':
      return [
        { [DEVICE_SCHEME]: [] },
        ...(acceptsLogin ? [{ [LOGIN_COOKIE_SCHEME]: [], [CSRF_TOKEN_SCHEME]: [] }] : []),
      ];
    case 'browser':
    case 'public':
      return [];
  }
}

function buildRequestBody(
  body: Type,
  { method, path, spec }: RouteFacts,
  schemasByName: SchemasByName,
  type = 'application/json',
): OpenApiObject {
  const schema = createSchemaRef(getComponentName(body.name));
  const example = spec.examples?.request ?? buildExample(schema, schemasByName, `${method} ${path}`);
  return { required: true, content: { [type]: { schema, example } } };
}

/** Returns the status that Nest uses by default. */
function getSuccessStatus({ method, handler }: Route): number {
  const spec = getOperationSpec(handler);
  if (spec?.response.kind === 'redirect') return HttpStatus.SEE_OTHER;
  if (spec?.existingResponseDescription) return HttpStatus.CREATED;
  const declaredStatus = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return declaredStatus ?? (method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK);
}

/** Creates a registry that shares equal responses and numbers different responses of one name. */
export function createResponseRegistry(): { components: OpenApiObject; registerResponse: RegisterResponse } {
  const components: OpenApiObject = {};
  const registerResponse: RegisterResponse = (name, response) => {
    const text = JSON.stringify(response);
    for (let variant = 1; ; variant++) {
      const key = variant === 1 ? name : `${name}${variant}`;
      if (components[key] === undefined) components[key] = response;
      if (JSON.stringify(components[key]) === text) return createComponentRef('responses', key);
    }
  };
  return { components, registerResponse };
}

import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ErrorCode } from '../errors';
import { RESOURCES, type ResourceTag } from '../../app.manifest';
import type { DtoClass } from './nested-fields';
import { RouteFact } from './route-fact';

declare module 'express-serve-static-core' {
  interface Request {
    /** Id of the OpenAPI operation that serves the request. */
    operationId?: string;
  }
}

/** What the events of a stream belong to, which decides their types. */
export type EventStreamSource = 'account' | 'session' | 'invocation';

/** Successful response of an operation. */
export type OperationResponse =
  | { kind: 'single'; type: DtoClass }
  | { kind: 'list'; type: DtoClass; isStreamed?: boolean }
  | { kind: 'unwrapped'; type: DtoClass }
  | { kind: 'content'; types: readonly DtoClass[]; raw: boolean }
  | { kind: 'document'; isStreamed?: boolean }
  | { kind: 'events'; source: EventStreamSource }
  | { kind: 'redirect' }
  | { kind: 'noContent' };

/** `{"data": {…}}` */
export const singleResponse = (type: DtoClass): OperationResponse => ({ kind: 'single', type });
/** `{"data": […], "nextCursor": …}` */
export const listResponse = (type: DtoClass): OperationResponse => ({ kind: 'list', type });
/** A list that `streamPage` sends, without an ETag. */
export const streamedListResponse = (type: DtoClass): OperationResponse => ({ kind: 'list', type, isStreamed: true });
/** The class itself, without an envelope. */
export const unwrappedResponse = (type: DtoClass): OperationResponse => ({ kind: 'unwrapped', type });
/**
 * `{"data": {…}}` of one of these classes, discriminated by `encoding`. With `raw`, the bytes are available as well.
 * Never cached.
 */
export const contentResponse = (types: readonly DtoClass[], { raw }: { raw: boolean }): OperationResponse => ({
  kind: 'content',
  types,
  raw,
});
/** Any JSON object. */
export const jsonObjectResponse: OperationResponse = { kind: 'document' };
/** Any JSON object, streamed without an ETag. */
export const streamedJsonResponse: OperationResponse = { kind: 'document', isStreamed: true };
/** Server-sent events. */
export const eventStreamResponse = (source: EventStreamSource): OperationResponse => ({ kind: 'events', source });
/** 303, for browsers. Errors are HTML pages. */
export const redirectResponse: OperationResponse = { kind: 'redirect' };
/** 204 */
export const noContentResponse: OperationResponse = { kind: 'noContent' };

const OTHER_TAGS = {
  Events: 'Events of the account and of sessions, sent over an open connection as they happen.',
  OAuth: 'Tokens for third-party apps that act on behalf of a user: authorization code flow with PKCE.',
  Usage: 'Usage of this API by the account.',
  Account:
    'Resources that a signed-in device of the account manages: tokens, apps and key grants. These paths are at the ' +
    'root of the host, outside of `/external/v1`, and require a device token.',
  Devices: 'Sign-up, sign-in and pairing by signature, and the devices of an account.',
  Description: 'This document.',
} as const;

/** Tags of the OpenAPI documents, in their order, with descriptions. */
export const OPERATION_TAGS: Readonly<Record<string, string>> = {
  Identity: 'The identity, scopes and remaining quota of a token.',
  ...Object.fromEntries(Object.values(RESOURCES).flatMap(({ tag }) => (tag ? [[tag.name, tag.description]] : []))),
  ...OTHER_TAGS,
};

export type OperationTag = 'Identity' | ResourceTag | keyof typeof OTHER_TAGS;

/**
 * Documentation of a handler in an OpenAPI document. Scopes, parameters, headers and common errors are derived from
 * its policy, method, path and DTOs.
 */
export interface OperationSpec {
  /** Also names the operation in usage counts. */
  id: string;
  tag: OperationTag;
  summary: string;
  description: string;
  response: OperationResponse;
  /** Description of the successful response in one line. Defaults to the summary. */
  responseDescription?: string;
  /** Description of the 200 response of a creation whose resource already exists, in one line. */
  existingResponseDescription?: string;
  /** The 202 response of an operation that may also take effect later, with the same schema. */
  acceptedResponse?: { description: string; example: object };
  /** Error codes in addition to the derived ones. */
  errorCodes?: readonly ErrorCode[];
  /** Class of the query or of the form, for handlers that read their own input (`@SkipValidation`). */
  queryType?: DtoClass;
  formType?: DtoClass;
  /** RFC error codes of an OAuth endpoint with status 400, in addition to `invalid_request`. */
  oauthErrorCodes?: readonly string[];
  /** Examples of request and response bodies and of events, where the usual examples are insufficient. */
  examples?: { request?: object; response?: object; events?: string };
  /** What differs in the inherited control route, which account devices call. */
  control?: Partial<Pick<OperationSpec, 'description' | 'response' | 'responseDescription'>>;
}

const OPERATION_ID_KEY = 'http:operation-id';
const OPERATION_KEY = 'http:operation';

/** Sets the operation id of a handler for the OpenAPI document, usage counts and logs. */
export const OperationId = (id: string): MethodDecorator => SetMetadata(OPERATION_ID_KEY, id);

/** Sets the operation id of a handler and adds the handler to the OpenAPI document of its API. */
export function Operation(spec: OperationSpec): MethodDecorator {
  const { id, tag, summary, description } = spec;
  return applyDecorators(
    OperationId(id),
    SetMetadata(OPERATION_KEY, spec),
    ApiOperation({ operationId: id, summary, description }),
    ApiTags(tag),
  );
}

export function getOperationId(handler: object): string | undefined {
  return Reflect.getMetadata(OPERATION_ID_KEY, handler) as string | undefined;
}

export const routeOperationId = new RouteFact(({ handler }) => getOperationId(handler));

export function getOperationSpec(handler: object): OperationSpec | undefined {
  return Reflect.getMetadata(OPERATION_KEY, handler) as OperationSpec | undefined;
}

import 'reflect-metadata';
import type { ErrorCode } from '../errors';

declare module 'express-serve-static-core' {
  interface Request {
    /** The OpenAPI operation that serves it. */
    operationId?: string;
  }
}

type RecordClass = new () => object;

/** What an operation answers when it succeeds. */
export type Answer =
  | { kind: 'one'; type: RecordClass }
  | { kind: 'page'; type: RecordClass }
  | { kind: 'bare'; type: RecordClass }
  | { kind: 'content'; types: readonly RecordClass[]; raw: boolean }
  | { kind: 'document' }
  | { kind: 'redirect' }
  | { kind: 'nothing' };

/** `{"data": {…}}` */
export const one = (type: RecordClass): Answer => ({ kind: 'one', type });
/** `{"data": […], "nextCursor": …}` */
export const page = (type: RecordClass): Answer => ({ kind: 'page', type });
/** The class as it is: its own envelope. */
export const bare = (type: RecordClass): Answer => ({ kind: 'bare', type });
/** `{"data": {…}}` of one of these, told apart by `encoding`; `raw`: its bytes alone, too. Never cached. */
export const content = (types: readonly RecordClass[], { raw }: { raw: boolean }): Answer => ({
  kind: 'content',
  types,
  raw,
});
/** Any JSON object. */
export const document: Answer = { kind: 'document' };
/** 303, for a person's browser; what goes wrong is an HTML page. */
export const redirect: Answer = { kind: 'redirect' };
/** 204 */
export const nothing: Answer = { kind: 'nothing' };

/** The tags of the OpenAPI document, in its order. */
export const TAGS = {
  Identity: 'Who a token is, what it may do, and how much of it is left.',
  Sessions: 'Coding-agent sessions and the messages in them. Metadata only: history is end-to-end encrypted.',
  Machines: 'Machines of the account, and commands run on them.',
  Artifacts: 'Files that sessions left behind. Metadata only: content is end-to-end encrypted.',
  Webhooks: 'Events of the account, delivered to a URL as signed HTTP requests.',
  OAuth: 'How an app of somebody else gets a token that acts for a person: authorization code with PKCE.',
  Usage: 'How much of this API the account has used.',
  Description: 'This document.',
} as const;

/**
 * What the OpenAPI document says of a handler beyond what its policy, method, path and DTOs already tell: those give
 * scopes, parameters, headers and the errors that every such operation has.
 */
export interface OperationSpec {
  /** Also the name under which usage is counted. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
  answer: Answer;
  /** What the answer is, in one line; the summary unless given. */
  returns?: string;
  /** Error codes that this operation has beside the derived ones. */
  errors?: readonly ErrorCode[];
  /** Where a handler reads its input by itself (`@OwnShape`): the class of its query, or of its form. */
  query?: RecordClass;
  form?: RecordClass;
  /** Of an OAuth endpoint: its RFC error codes with status 400, beside `invalid_request`. */
  oauthErrors?: readonly string[];
  /** Examples of body and answer, where the DTOs' own are not telling enough. */
  examples?: { request?: object; answer?: object };
}

const OPERATION_ID = 'http:operation-id';
const OPERATION = 'http:operation';

/** Names a handler as the OpenAPI document, usage counts and logs name it. */
export function OperationId(id: string): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    Reflect.defineMetadata(OPERATION_ID, id, descriptor.value as object);
  };
}

/** Names and documents a handler of the External API. */
export function Operation(spec: OperationSpec): MethodDecorator {
  return (target, name, descriptor: PropertyDescriptor) => {
    OperationId(spec.id)(target, name, descriptor);
    Reflect.defineMetadata(OPERATION, spec, descriptor.value as object);
  };
}

export function operationIdOf(handler: object): string | undefined {
  return Reflect.getMetadata(OPERATION_ID, handler) as string | undefined;
}

export function operationOf(handler: object): OperationSpec | undefined {
  return Reflect.getMetadata(OPERATION, handler) as OperationSpec | undefined;
}

import { ERROR_CATALOG, PROBLEM_MEDIA_TYPE, type ErrorCode } from '../../../common/errors';
import {
  HTTP_METHODS,
  resolveReference,
  type HttpMethod,
  type OpenApiDocument,
  type OpenApiMedia,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  type OpenApiSchema,
} from './openapi-types';
import type { ReferenceDefinition } from './reference-definitions';
import { describeField, listVariants, type SchemaField, type SchemaVariant } from './schema-fields';

/** Which credential an operation requires. `token` is a personal access token or an OAuth access token. */
export type Credential = 'token' | 'personal-token' | 'device' | 'client' | 'none';

export const CREDENTIAL_NAMES: Record<Credential, string> = {
  token: 'Personal access token or OAuth access token',
  'personal-token': 'Personal access token',
  device: 'Device token',
  client: 'Client id and secret of an app',
  none: 'None',
};

export interface ReferenceParameter extends SchemaField {
  in: OpenApiParameter['in'];
  example: unknown;
}

export interface ReferenceBody {
  mediaType: string;
  isRequired: boolean;
  variants: SchemaVariant[];
  example: unknown;
}

export interface ReferenceResponse {
  status: string;
  description: string;
  bodies: { mediaType: string; variants: SchemaVariant[]; example: unknown }[];
}

export interface ReferenceError {
  status: string;
  /** Null for a response that has no problem document. */
  code: ErrorCode | null;
  title: string;
  description: string;
  advice: string;
  example: unknown;
}

export interface ReferenceOperation {
  id: string;
  /** Upper case; empty for an event. */
  method: string;
  /** From the root of the host; the type of an event. */
  path: string;
  summary: string;
  description: string;
  isDeprecated: boolean;
  credential: Credential;
  /** Whether the login of a browser is accepted instead of a device token. */
  acceptsLogin: boolean;
  /** Whether the page sends the operation. `device-only`: it doesn't, because only a device can. */
  sending: 'offered' | 'device-only' | 'none';
  scopes: string[];
  deviceKinds: string[];
  rateLimitBucket: string | null;
  parameters: ReferenceParameter[];
  body: ReferenceBody | null;
  responses: ReferenceResponse[];
  errors: ReferenceError[];
}

export interface ReferenceTag {
  slug: string;
  /** Path of its page. */
  path: string;
  name: string;
  description: string;
  operations: ReferenceOperation[];
}

export interface ReferenceModel {
  definition: ReferenceDefinition;
  description: string;
  /** Public URL of the service. */
  publicUrl: string;
  tags: ReferenceTag[];
}

const WEBHOOK_TAG = {
  slug: 'webhook-events',
  name: 'Webhook events',
  description: 'The requests that the service sends to the URL of a webhook, one per type of event.',
};

/** Reads what the reference displays from the OpenAPI document, whose servers are absolute URLs. */
export function buildReferenceModel(document: OpenApiDocument, definition: ReferenceDefinition): ReferenceModel {
  const [server] = document.servers;
  const operations = Object.entries(document.paths).flatMap(([path, item]) => {
    const basePath = new URL((item.servers?.[0] ?? server)!.url).pathname.replace(/\/$/, '');
    return HTTP_METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const read = readOperation(document, method, basePath + path, operation);
      return { tag: operation.tags?.[0] ?? '', ...read, sending: decideSending(read, definition) };
    });
  });
  const tags = (document.tags ?? []).map(({ name, description = '' }) => ({
    slug: toSlug(name),
    name,
    description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
  const events = Object.entries(document.webhooks ?? {}).flatMap(([type, { post }]) =>
    post ? [{ ...readOperation(document, 'post', type, post), id: type, method: '', sending: 'none' as const }] : [],
  );
  return {
    definition,
    description: document.info.description ?? '',
    publicUrl: new URL(server!.url).origin,
    tags: [...tags, { ...WEBHOOK_TAG, operations: events }]
      .filter((tag) => tag.operations.length > 0)
      .map((tag) => ({ ...tag, path: `${definition.path}/${tag.slug}` })),
  };
}

function toSlug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function readOperation(
  document: OpenApiDocument,
  method: HttpMethod,
  path: string,
  operation: OpenApiOperation,
): Omit<ReferenceOperation, 'sending'> {
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolveReference<OpenApiResponse>(document, response)] as const,
  );
  const isSuccess = (status: string) => /^[23]/.test(status);
  return {
    id: operation.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? path,
    description: operation.description ?? '',
    isDeprecated: operation.deprecated === true,
    credential: readCredential(operation),
    acceptsLogin: (operation.security ?? []).some((requirement) => 'login' in requirement),
    scopes: operation['x-required-scopes'] ?? [],
    deviceKinds: operation['x-device-kinds'] ?? [],
    rateLimitBucket: operation['x-rate-limit-bucket'] ?? null,
    parameters: (operation.parameters ?? []).map((parameter) => readParameter(document, parameter)),
    body: readBody(document, operation),
    responses: responses
      .filter(([status]) => isSuccess(status))
      .map(([status, response]) => ({
        status,
        description: response.description,
        bodies: Object.entries(response.content ?? {}).map(([mediaType, media]) => ({
          mediaType,
          variants: media.schema ? listVariants(document, media.schema) : [],
          example: getExample(media),
        })),
      })),
    errors: responses
      .filter(([status]) => !isSuccess(status))
      .flatMap(([status, response]) => readErrors(status, response)),
  };
}

function readCredential({ security = [] }: OpenApiOperation): Credential {
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  if (schemes.includes('device')) return 'device';
  if (schemes.includes('client')) return 'client';
  if (schemes.length === 0) return 'none';
  return schemes.includes('oauth') ? 'token' : 'personal-token';
}

function decideSending(
  { credential, body, responses }: Omit<ReferenceOperation, 'sending'>,
  { sendsDeviceCalls }: ReferenceDefinition,
): ReferenceOperation['sending'] {
  // A redirect leads a person's browser to another page, which no script can show.
  if (responses.some(({ status }) => status === '303')) return 'none';
  const isSigned = body?.variants.some(({ fields }) => fields.some(({ name }) => name === 'signature')) ?? false;
  return !sendsDeviceCalls && (credential === 'device' || isSigned) ? 'device-only' : 'offered';
}

function readParameter(document: OpenApiDocument, value: unknown): ReferenceParameter {
  const parameter = resolveReference<OpenApiParameter>(document, value);
  const schema: OpenApiSchema = parameter.schema ?? {};
  const { name, description, required = false } = parameter;
  return {
    ...describeField(document, { name, schema, isRequired: required, description }),
    in: parameter.in,
    example: parameter.example,
  };
}

function readBody(document: OpenApiDocument, { requestBody }: OpenApiOperation): ReferenceBody | null {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (!content) return null;
  const [mediaType, media] = content;
  return {
    mediaType,
    isRequired: requestBody?.required ?? false,
    variants: media.schema ? listVariants(document, media.schema) : [],
    example: getExample(media),
  };
}

function getExample({ example, examples }: OpenApiMedia): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value;
}

/** Returns an entry per error code, or one for a response without codes. */
function readErrors(status: string, { description, content = {} }: OpenApiResponse): ReferenceError[] {
  const examples = Object.entries(content[PROBLEM_MEDIA_TYPE]?.examples ?? {});
  const known = examples.flatMap(([code, { value }]) => {
    if (!isErrorCode(code)) return [];
    const { title, when, advice = '' } = ERROR_CATALOG[code] as { title: string; when: string; advice?: string };
    return { status, code, title, description: `Returned when ${when}.`, advice, example: value };
  });
  if (known.length > 0) return known;
  const [media] = Object.values(content);
  return [{ status, code: null, title: description, description, advice: '', example: media && getExample(media) }];
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOG, code);
}

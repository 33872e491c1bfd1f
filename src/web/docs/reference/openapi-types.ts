/** The parts of an OpenAPI 3.1 document that the reference displays. */
export interface OpenApiSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: OpenApiSchema;
  properties?: Record<string, OpenApiSchema>;
  required?: string[];
  additionalProperties?: boolean | OpenApiSchema;
  oneOf?: OpenApiSchema[];
  anyOf?: OpenApiSchema[];
  allOf?: OpenApiSchema[];
  examples?: unknown[];
  deprecated?: boolean;
}

export interface OpenApiMedia {
  schema?: OpenApiSchema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface OpenApiHeader {
  description?: string;
  schema?: OpenApiSchema;
  required?: boolean;
  example?: unknown;
}

export interface OpenApiParameter extends OpenApiHeader {
  name: string;
  in: 'path' | 'query' | 'header';
}

export interface OpenApiResponse {
  description: string;
  content?: Record<string, OpenApiMedia>;
}

export interface OpenApiOperation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: unknown[];
  requestBody?: { required?: boolean; content: Record<string, OpenApiMedia> };
  responses: Record<string, unknown>;
  'x-required-scopes'?: string[];
  'x-device-kinds'?: string[];
  'x-rate-limit-bucket'?: string | null;
}

export type OpenApiPathItem = Partial<Record<HttpMethod, OpenApiOperation>> & { servers?: { url: string }[] };

export interface OpenApiDocument {
  info: { title: string; description?: string; version: string };
  servers: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, OpenApiPathItem>;
  webhooks?: Record<string, OpenApiPathItem>;
  components?: Record<string, Record<string, unknown>>;
}

export const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** Follows references within the document. @throws Error for one that leads nowhere */
export function resolveReference<T extends object>(document: OpenApiDocument, value: unknown): T {
  const reference = (value as { $ref?: string }).$ref;
  if (reference === undefined) return value as T;
  const [kind, name] = reference.replace('#/components/', '').split('/') as [string, string];
  const target = document.components?.[kind]?.[name];
  if (target === undefined) throw new Error(`${reference} is not in the OpenAPI document.`);
  return resolveReference<T>(document, target);
}

/** Writes a value of a schema as text: a string as it is, others as JSON. */
export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

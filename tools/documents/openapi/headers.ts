import { buildIdExample, buildIdPattern } from '../../../src/common/http';
import { RATE_LIMIT_HEADER_NAMES } from '../../../src/access/rate-limiting';
import { createComponentRef, type OpenApiObject } from '../../../src/web/openapi';

const defineHeader = (description: string, schema: OpenApiObject, example: unknown): OpenApiObject => ({
  description,
  schema,
  example,
});
const SECONDS_SCHEMA = { type: 'integer', minimum: 0 };
const TEXT_SCHEMA = { type: 'string' };

/** Response headers of the document (docs/protocol/external-api.md#responses). */
const RESPONSE_HEADERS: Record<string, OpenApiObject> = {
  'X-Request-Id': defineHeader(
    'Identifies this call, also in logs. Quote it when asking for help.',
    { type: 'string', pattern: buildIdPattern('req') },
    buildIdExample('req'),
  ),
  'X-RateLimit-Limit': defineHeader(
    'Calls per window of the bucket that this call consumed from.',
    SECONDS_SCHEMA,
    600,
  ),
  'X-RateLimit-Remaining': defineHeader('Calls left in the window.', SECONDS_SCHEMA, 599),
  'X-RateLimit-Reset': defineHeader('Whole seconds until the window ends.', SECONDS_SCHEMA, 37),
  'RateLimit-Policy': defineHeader(
    'The bucket, its quota and its window in seconds (IETF draft-ietf-httpapi-ratelimit-headers).',
    TEXT_SCHEMA,
    '"metadata";q=600;w=60',
  ),
  RateLimit: defineHeader(
    'The bucket, the remaining calls and the seconds until its window ends (same draft).',
    TEXT_SCHEMA,
    '"metadata";r=599;t=37',
  ),
  'Retry-After': defineHeader('Whole seconds to wait before retrying (RFC 9110 §10.2.3).', SECONDS_SCHEMA, 37),
  'WWW-Authenticate': defineHeader(
    'The challenge (RFC 6750 §3).',
    TEXT_SCHEMA,
    'Bearer realm="external-api", error="invalid_token", error_description="The token has expired."',
  ),
  Location: defineHeader(
    'Target of the redirect (RFC 9110 §10.2.2).',
    { type: 'string', format: 'uri' },
    'https://app.example/callback?code=2YotnFZFEjr1zCsicMWpAA&iss=https%3A%2F%2Fapi.test&state=xyz',
  ),
  ETag: defineHeader('Weak validator for If-None-Match (RFC 9110 §8.8.3).', TEXT_SCHEMA, 'W/"1f4-2jmj7l5rSw0yVb"'),
  'Idempotency-Replayed': defineHeader(
    'Present if this is the stored response of an earlier call with the same Idempotency-Key.',
    { type: 'string', enum: ['true'] },
    'true',
  ),
  Deprecation: defineHeader('Time at which the route was deprecated (RFC 9745).', TEXT_SCHEMA, '@1788255000'),
  Sunset: defineHeader(
    'Time from which the route returns 410 (RFC 8594).',
    TEXT_SCHEMA,
    'Sun, 28 Feb 2027 09:30:00 GMT',
  ),
  Link: defineHeader(
    'The page that explains the deprecation, and the successor (RFC 9745 §3, RFC 5829).',
    TEXT_SCHEMA,
    '<https://api.test/docs/deprecations>; rel="deprecation"; type="text/html"',
  ),
};

export const RATE_HEADER_NAMES: readonly string[] = RATE_LIMIT_HEADER_NAMES;

const getOptionalHeaderName = (name: string) => `Optional-${name}`;

/** Builds `headers` of a response from its required and optional headers. */
export function buildHeaderRefs(
  requiredHeaders: readonly string[],
  optionalHeaders: readonly string[] = [],
): OpenApiObject {
  return Object.fromEntries([
    ...requiredHeaders.map((name) => [name, createComponentRef('headers', name)]),
    ...optionalHeaders.map((name) => [name, createComponentRef('headers', getOptionalHeaderName(name))]),
  ]) as OpenApiObject;
}

/** Builds `components.headers` with the headers that `root` references. */
export function buildHeaderComponents(root: unknown): OpenApiObject {
  const text = JSON.stringify(root);
  const isUsed = (name: string) => text.includes(`"#/components/headers/${name}"`);
  const entries = Object.entries(RESPONSE_HEADERS).flatMap(([name, value]): [string, OpenApiObject][] => [
    ...(isUsed(name) ? [[name, { required: true, ...value }] as [string, OpenApiObject]] : []),
    ...(isUsed(getOptionalHeaderName(name)) ? [[getOptionalHeaderName(name), value] as [string, OpenApiObject]] : []),
  ]);
  return Object.fromEntries(entries);
}

import { idExample, idPattern } from '../../common/http';
import { RATE_LIMIT_HEADERS } from '../../rate-limit';
import { ref, type Json } from './schema';

const header = (description: string, schema: Json, example: unknown): Json => ({
  description,
  schema,
  example,
});
const seconds = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

/** Every response header that the document speaks of (external-api.md §1). */
const HEADERS: Record<string, Json> = {
  'X-Request-Id': header(
    'Names this call, in logs too; to be quoted when asking for help.',
    { type: 'string', pattern: idPattern('req') },
    idExample('req'),
  ),
  'X-RateLimit-Limit': header('Calls per window of the bucket that this call drew on.', seconds, 600),
  'X-RateLimit-Remaining': header('Calls left in the window.', seconds, 599),
  'X-RateLimit-Reset': header('Whole seconds until the window ends.', seconds, 37),
  'RateLimit-Policy': header(
    'The bucket, its quota and its window in seconds (IETF draft-ietf-httpapi-ratelimit-headers).',
    text,
    '"metadata";q=600;w=60',
  ),
  RateLimit: header(
    'The bucket, what is left and the seconds until its window ends (same draft).',
    text,
    '"metadata";r=599;t=37',
  ),
  'Retry-After': header('Whole seconds after which to try again (RFC 9110 §10.2.3).', seconds, 37),
  'WWW-Authenticate': header(
    'The challenge (RFC 6750 §3).',
    text,
    'Bearer realm="external-api", error="invalid_token", error_description="The token has expired."',
  ),
  Location: header(
    'Where the browser goes next (RFC 9110 §10.2.2).',
    { type: 'string', format: 'uri' },
    'https://app.example/callback?code=2YotnFZFEjr1zCsicMWpAA&iss=https%3A%2F%2Fapi.test&state=xyz',
  ),
  ETag: header('Weak validator for If-None-Match (RFC 9110 §8.8.3).', text, 'W/"1f4-2jmj7l5rSw0yVb"'),
  'Idempotency-Replayed': header(
    'Present when this is the kept answer of an earlier call with the same Idempotency-Key.',
    { type: 'string', enum: ['true'] },
    'true',
  ),
  Deprecation: header('Since when the route is deprecated (RFC 9745).', text, '@1788255000'),
  Sunset: header('From when on the route answers 410 (RFC 8594).', text, 'Sun, 28 Feb 2027 09:30:00 GMT'),
  Link: header(
    'The page that explains the deprecation, and the successor (RFC 9745 §3, RFC 5829).',
    text,
    '<https://api.test/docs/deprecations>; rel="deprecation"; type="text/html"',
  ),
};

export const RATE_HEADERS: readonly string[] = RATE_LIMIT_HEADERS;

const optional = (name: string) => `Optional-${name}`;

/** `headers` of a response: those that it always has, and those that it may have. */
export function headerRefs(always: readonly string[], sometimes: readonly string[] = []): Json {
  return Object.fromEntries([
    ...always.map((name) => [name, ref('headers', name)]),
    ...sometimes.map((name) => [name, ref('headers', optional(name))]),
  ]) as Json;
}

/** `components.headers`, those alone that `root` refers to. */
export function headerComponents(root: unknown): Json {
  const text = JSON.stringify(root);
  const used = (name: string) => text.includes(`"#/components/headers/${name}"`);
  const entries = Object.entries(HEADERS).flatMap(([name, value]): [string, Json][] => [
    ...(used(name) ? [[name, { required: true, ...value }] as [string, Json]] : []),
    ...(used(optional(name)) ? [[optional(name), value] as [string, Json]] : []),
  ]);
  return Object.fromEntries(entries);
}

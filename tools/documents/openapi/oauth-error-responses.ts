import type { RouteFacts } from './derived-errors';
import { buildCommonHeaders } from './error-responses';
import { RATE_HEADER_NAMES } from './headers';
import { createSchemaRef, type OpenApiObject } from '../../../src/web/openapi';

/** Error response of an OAuth endpoint with its RFC 6749 §5.2 codes. */
interface OAuthErrorResponse {
  status: number | 'default';
  codes: readonly string[];
  when: string;
  /** Example of `error_description`. */
  description: string;
  always?: string[];
  sometimes?: string[];
}

const RETRY_AFTER_HEADERS = { always: ['Retry-After'] };
const UNAVAILABLE_CODES = ['temporarily_unavailable'];

export function isOAuthEndpoint({ policy, spec }: RouteFacts): boolean {
  return policy.kind === 'client' || spec.response.kind === 'redirect';
}

/** Builds the error responses of an OAuth endpoint by status: JSON for apps, HTML pages for browsers. */
export function buildOAuthErrorResponses(route: RouteFacts): Record<string, { name: string; response: OpenApiObject }> {
  const isPage = route.spec.response.kind === 'redirect';
  const definitions = isPage ? PAGE_ERROR_RESPONSES : listJsonErrorResponses(route);
  return Object.fromEntries(
    definitions.map((definition) => {
      const name = `OAuth${isPage ? 'Page' : 'Error'}${definition.status}`;
      const headers = buildCommonHeaders(route, Number(definition.status), definition.always, definition.sometimes);
      const content = isPage ? buildHtmlContent(definition) : buildJsonContent(definition);
      return [definition.status, { name, response: { description: definition.when, headers, content } }];
    }),
  );
}

const PAGE_ERROR_RESPONSES: readonly OAuthErrorResponse[] = [
  {
    status: 400,
    codes: [],
    when:
      'The client or the redirect URI is missing, repeated or unknown. The page informs the user; the app is not ' +
      'notified.',
    description: 'redirect_uri is missing.',
  },
  {
    status: 429,
    codes: [],
    when: 'Too many requests from this address.',
    description: '',
    ...RETRY_AFTER_HEADERS,
  },
  { status: 500, codes: [], when: 'The service failed unexpectedly.', description: '' },
  {
    status: 503,
    codes: [],
    when: 'The service cannot reach its database.',
    description: '',
    ...RETRY_AFTER_HEADERS,
  },
  // Linters require a success or default response, and a redirect is neither.
  {
    status: 'default',
    codes: [],
    when: 'Any other error is shown to the user as a page.',
    description: '',
  },
];

function listJsonErrorResponses({ spec }: RouteFacts): OAuthErrorResponse[] {
  return [
    {
      status: 400,
      codes: ['invalid_request', ...(spec.oauthErrorCodes ?? [])],
      when:
        'The body is not a form, a parameter is missing or repeated, or the request is rejected for the reason in ' +
        '`error`.',
      description: 'grant_type is required.',
    },
    {
      status: 401,
      codes: ['invalid_client'],
      when: 'The client does not exist or the secret is wrong.',
      description: 'Client authentication failed.',
      sometimes: ['WWW-Authenticate'],
    },
    {
      status: 413,
      codes: ['invalid_request'],
      when: 'The form is too large.',
      description: 'The body may hold at most 16384 bytes.',
    },
    {
      status: 415,
      codes: ['invalid_request'],
      when: 'The form is compressed.',
      description: 'The body must not be compressed.',
    },
    {
      status: 429,
      codes: UNAVAILABLE_CODES,
      when: 'This client has failed to authenticate too often from this IP address. A correct secret still works.',
      description: 'Too many failed attempts.',
      always: ['Retry-After', ...RATE_HEADER_NAMES],
    },
    {
      status: 500,
      codes: ['server_error'],
      when: 'The service failed unexpectedly.',
      description: 'Something went wrong here. Quote the X-Request-Id when asking for help.',
    },
    {
      status: 503,
      codes: UNAVAILABLE_CODES,
      when: 'The service cannot reach its database.',
      description: 'The service cannot answer now. Try again.',
      ...RETRY_AFTER_HEADERS,
    },
  ];
}

function buildJsonContent({ codes, description }: OAuthErrorResponse): OpenApiObject {
  const schema = {
    allOf: [createSchemaRef('OAuthError'), { type: 'object', properties: { error: { type: 'string', enum: codes } } }],
  };
  const example = { error: codes[0], error_description: description };
  return { 'application/json': { schema, example } };
}

function buildHtmlContent({ description }: OAuthErrorResponse): OpenApiObject {
  const example = `<!doctype html><html lang="en"><body>${description}</body></html>`;
  return { 'text/html': { schema: { type: 'string' }, example } };
}

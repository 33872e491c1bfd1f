import type { RouteFacts } from './derived-errors';
import { commonHeaders } from './responses';
import { schemaRef, type Json } from './schema';

/** An error answer of an OAuth endpoint with the codes of RFC 6749 §5.2 that it comes with. */
interface Refusal {
  status: number | 'default';
  codes: readonly string[];
  when: string;
  /** As the endpoint words it. */
  description: string;
  always?: string[];
  sometimes?: string[];
}

const RETRY = { always: ['Retry-After'] };
const UNAVAILABLE = ['temporarily_unavailable'];

export function isOAuthEndpoint({ policy, spec }: RouteFacts): boolean {
  return policy.kind === 'client' || spec.answer.kind === 'redirect';
}

/** The error answers of an OAuth endpoint by status: JSON for apps, pages for a person's browser. */
export function oauthErrorResponses(route: RouteFacts): Record<string, { name: string; response: Json }> {
  const isPage = route.spec.answer.kind === 'redirect';
  const refusals = isPage ? PAGES : refusalsOf(route);
  return Object.fromEntries(
    refusals.map((refusal) => {
      const name = `OAuth${isPage ? 'Page' : 'Error'}${refusal.status}`;
      const headers = commonHeaders(route, Number(refusal.status), refusal.always, refusal.sometimes);
      const content = isPage ? page(refusal) : json(refusal);
      return [refusal.status, { name, response: { description: refusal.when, headers, content } }];
    }),
  );
}

const PAGES: readonly Refusal[] = [
  {
    status: 400,
    codes: [],
    when: 'The client or the redirect URI is missing, repeated or unknown: the person is told, nobody else.',
    description: 'redirect_uri is missing.',
  },
  { status: 429, codes: [], when: 'Too many requests from this address.', description: '', ...RETRY },
  { status: 500, codes: [], when: 'A fault of the service.', description: '' },
  { status: 503, codes: [], when: 'The service cannot reach its database.', description: '', ...RETRY },
  // Linters ask for a success or a default, and a redirect is neither.
  {
    status: 'default',
    codes: [],
    when: 'Whatever else goes wrong is a page for the person.',
    description: '',
  },
];

function refusalsOf({ spec }: RouteFacts): Refusal[] {
  return [
    {
      status: 400,
      codes: ['invalid_request', ...(spec.oauthErrors ?? [])],
      when: 'What was sent is no form, lacks a parameter, has one twice, or is refused for what `error` says.',
      description: 'grant_type is required.',
    },
    {
      status: 401,
      codes: ['invalid_client'],
      when: 'There is no such client, or its secret is another one.',
      description: 'Client authentication failed.',
      sometimes: ['WWW-Authenticate'],
    },
    {
      status: 413,
      codes: ['invalid_request'],
      when: 'The form is too large.',
      description: 'The body may hold at most 65536 bytes.',
    },
    {
      status: 429,
      codes: UNAVAILABLE,
      when: 'This client has failed to authenticate too often from this address; a right secret is served all the same.',
      description: 'Too many failed attempts.',
      ...RETRY,
    },
    {
      status: 500,
      codes: ['server_error'],
      when: 'A fault of the service.',
      description: 'Something went wrong here. Quote the X-Request-Id when asking for help.',
    },
    {
      status: 503,
      codes: UNAVAILABLE,
      when: 'The service cannot reach its database.',
      description: 'The service cannot answer now. Try again.',
      ...RETRY,
    },
  ];
}

function json({ codes, description }: Refusal): Json {
  const schema = {
    allOf: [schemaRef('OAuthError'), { type: 'object', properties: { error: { type: 'string', enum: codes } } }],
  };
  const example = { error: codes[0], error_description: description };
  return { 'application/json': { schema, example } };
}

function page({ description }: Refusal): Json {
  const example = `<!doctype html><html lang="en"><body>${description}</body></html>`;
  return { 'text/html': { schema: { type: 'string' }, example } };
}

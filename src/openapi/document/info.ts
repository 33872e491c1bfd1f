import { APP_SCOPES, SCOPES } from '../../auth';
import { TAGS } from '../../common/http';
import type { Json } from './schema';

const DESCRIPTION = `
Plain-HTTP access to an account's end-to-end encrypted coding-agent sessions, machines and artifacts.

**Credentials.** Every call but the one for this document carries \`Authorization: Bearer <token>\`: a personal access
token (\`svc_pat_…\`) or an OAuth access token (\`svc_oat_…\`). \`x-required-scopes\` lists the scopes of an operation.

**OAuth.** The endpoints under \`/oauth\` follow their RFCs instead of what is said here: they take forms, answer errors as
RFC 6749 §5.2 has them, ignore parameters that they do not know, and draw on no bucket of the account.

**Conventions.** Times are Unix milliseconds. Every field of a record is always present; "none" is \`null\`. Unknown body
fields and unknown or repeated query parameters are refused; a body field given as \`null\` is a field left out. Ids are
opaque. Fields may be added to answers without notice.

**Errors.** One shape, RFC 9457 \`application/problem+json\`; programs match on \`code\`. \`X-Request-Id\` names every call.

**Rate limits.** Two buckets per account, \`metadata\` and \`relay\`; \`x-rate-limit-bucket\` says which one an operation
draws on, and every authenticated answer what is left of it.

**Beside this document.** \`HEAD\` mirrors every \`GET\`; a known path with another method is a 405 \`method_not_allowed\`
with \`Allow\`, an unknown path a 404 \`not_found\`. Any origin may call, without cookies.
`.trim();

/** The parts of the document that no handler tells. */
export const HEAD: Json = {
  openapi: '3.1.1',
  info: {
    title: 'External API',
    summary: 'Sessions, machines and artifacts of an account over plain HTTP',
    description: DESCRIPTION,
    version: '1.0.0',
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  servers: [{ url: '/external/v1', description: 'The host that serves this document' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
};

export const BEARER = 'bearer';
export const OAUTH = 'oauth';
export const CLIENT = 'client';

export const SECURITY_SCHEMES: Json = {
  [BEARER]: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A personal access token (`svc_pat_…`) or an OAuth access token (`svc_oat_…`), in the Authorization header alone ' +
      '(RFC 6750 §2.1). The names listed beside it in an operation are scopes.',
  },
  [OAUTH]: {
    type: 'oauth2',
    description:
      'How an app gets the token: authorization code with PKCE (S256), and nothing else. Metadata (RFC 8414) is at ' +
      '`/.well-known/oauth-authorization-server` of the host.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/external/v1/oauth/authorize',
        tokenUrl: '/external/v1/oauth/token',
        refreshUrl: '/external/v1/oauth/token',
        scopes: Object.fromEntries(APP_SCOPES.map((scope) => [scope, SCOPES[scope]])),
      },
    },
  },
  [CLIENT]: {
    type: 'http',
    scheme: 'basic',
    description:
      'Client id and secret of an app (RFC 6749 §2.3.1); or both in the form, as `client_id` and `client_secret`.',
  },
};

import { APP_SCOPES, SCOPES } from '../../../src/access/auth';
import { DOCUMENTED_BUCKET_NAMES, ACCOUNT_BUCKET_NAMES } from '../../../src/access/rate-limiting';
import { OPERATION_TAGS } from '../../../src/common/http';
import type { DocumentDefinition } from './document-definition';
import {
  ACCOUNT_ROUTES,
  buildServers,
  EXTERNAL_API,
  isExternalApiPath,
  type OpenApiObject,
  resolveDocumentPath,
} from '../../../src/web/openapi';

const ACCOUNT_BUCKETS = ACCOUNT_BUCKET_NAMES.map((name) => `\`${name}\``).join(' and ');

const API_DESCRIPTION = `
Plain-HTTP access to an account's end-to-end encrypted coding-agent sessions, machines and artifacts.

**Credentials.** Every call except the one for this document requires \`Authorization: Bearer <token>\`: a personal
access token (\`svc_pat_…\`) or an OAuth access token (\`svc_oat_…\`). \`x-required-scopes\` lists the scopes of an
operation.

**Account.** The operations under \`/v1\` create tokens, apps and key grants. Their server is the root of the host,
and they require the token of a signed-in device (\`svc_dev_…\`); \`x-device-kinds\` lists the kinds of device that
may call them. The guide's page on authentication explains how to get a device token over plain HTTP.

**OAuth.** The endpoints under \`/oauth\` follow their RFCs instead of these conventions: they accept forms, return
errors as in RFC 6749 §5.2, ignore unknown parameters and do not consume from the account's buckets.

**Conventions.** Times are Unix milliseconds. Every field of a record is always present; "none" is \`null\`. Unknown
body fields and unknown or repeated query parameters are rejected; a body field of \`null\` is treated as missing. Ids
are opaque. Fields may be added to responses without notice.

**Errors.** All errors are RFC 9457 \`application/problem+json\`; programs should match on \`code\`. \`X-Request-Id\`
identifies every call. Before it reaches an operation, any request may fail with \`malformed_request\` (400),
\`request_timeout\` (408), \`expectation_failed\` (417) or \`headers_too_large\` (431). Paths are case-sensitive and
have no trailing slash.

**Rate limits.** Each account has the buckets ${ACCOUNT_BUCKETS}, each device the bucket \`device\`;
\`x-rate-limit-bucket\` names the bucket of an operation. Every response to a valid token reports what remains in it.

**Other behaviour.** \`HEAD\` mirrors every \`GET\`. An unsupported method returns 405 \`method_not_allowed\` with
\`Allow\`, an unknown path 404 \`not_found\`. Any origin may call paths under \`/external/v1\`, without cookies.
`.trim();

/** Parts of the document that do not come from handlers. */
const DOCUMENT_HEAD: OpenApiObject = {
  openapi: '3.1.1',
  info: {
    title: 'External API',
    summary: 'Sessions, machines and artifacts of an account over plain HTTP',
    description: API_DESCRIPTION,
    version: '1.0.0',
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  servers: buildServers(EXTERNAL_API),
};

export const BEARER_SCHEME = 'bearer';
export const OAUTH_SCHEME = 'oauth';
export const CLIENT_SCHEME = 'client';
export const DEVICE_SCHEME = 'device';

export const DEVICE_SECURITY_SCHEME: OpenApiObject = {
  type: 'http',
  scheme: 'bearer',
  description:
    'The token of a signed-in device (`svc_dev_…`). The device proves its key by a signature and renews the token ' +
    'by signing in again. Device tokens and External API tokens are not interchangeable.',
};

const SECURITY_SCHEMES: OpenApiObject = {
  [BEARER_SCHEME]: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A personal access token (`svc_pat_…`) or an OAuth access token (`svc_oat_…`), only in the Authorization ' +
      'header (RFC 6750 §2.1). The names listed with it in an operation are the required scopes.',
  },
  [OAUTH_SCHEME]: {
    type: 'oauth2',
    description:
      'How an app gets the token: only the authorization code grant with PKCE (S256) is supported. Metadata (RFC ' +
      '8414) is at `/.well-known/oauth-authorization-server` of the host.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/external/v1/oauth/authorize',
        tokenUrl: '/external/v1/oauth/token',
        refreshUrl: '/external/v1/oauth/token',
        scopes: Object.fromEntries(APP_SCOPES.map((scope) => [scope, SCOPES[scope].description])),
      },
    },
  },
  [DEVICE_SCHEME]: DEVICE_SECURITY_SCHEME,
  [CLIENT_SCHEME]: {
    type: 'http',
    scheme: 'basic',
    description:
      'Client id and secret of an app (RFC 6749 §2.3.1). Both may be sent in the form instead, as `client_id` and ' +
      '`client_secret`.',
  },
};

/** The document of the External API, `GET {base_url}/openapi.json`. */
export const EXTERNAL_API_DOCUMENT: DocumentDefinition = {
  head: DOCUMENT_HEAD,
  tags: OPERATION_TAGS,
  securitySchemes: SECURITY_SCHEMES,
  hasBrowserLogin: false,
  hasWebhooks: true,
  bucketNames: DOCUMENTED_BUCKET_NAMES,
  includesRoute: ({ method, path }) => isExternalApiPath(path) || ACCOUNT_ROUTES.includes(`${method} ${path}`),
  resolvePath: resolveDocumentPath,
};

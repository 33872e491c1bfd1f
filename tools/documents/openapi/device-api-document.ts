import { OPERATION_TAGS } from '../../../src/common/http';
import { DOCUMENTED_BUCKET_NAMES } from '../../../src/access/rate-limiting';
import type { DocumentDefinition } from './document-definition';
import { DEVICE_SCHEME, DEVICE_SECURITY_SCHEME } from './document-head';
import { HOST_ROOT_URL, buildServers } from '../../../src/web/openapi';

const DEVICE_API_DESCRIPTION = `
What devices call: they create accounts, join them, store encrypted sessions, machines and artifacts, manage tokens,
apps and webhooks, and control agents and machines. [The device API](/docs/protocol/device-api) specifies how devices
sign, encrypt and connect. The messages of the device socket are in \`/v1/asyncapi.json\`.

**Credentials.** Most calls require \`Authorization: Bearer <token>\` with the token of a signed-in device
(\`svc_dev_…\`), which sign-up and sign-in return. \`x-device-kinds\` lists the kinds of device that may call an
operation; a machine device reaches only the records that it hosts. Scripts of the console send the login cookie and
the header \`X-CSRF-Token\` instead, where an operation lists them.

**Control.** The operations under \`/v1/control\` are those of the External API for account devices: with the same
paths, parameters and bodies, without scopes.

**Content.** Metadata, messages, permission requests and artifacts are compact JWE. The service verifies their form and
their binding, and cannot read them.

**Conventions.** Times are Unix milliseconds. Every field of a record is always present; "none" is \`null\`. Unknown
body fields and unknown or repeated query parameters are rejected; a body field of \`null\` is treated as missing. Ids
are opaque. Fields may be added to responses without notice.

**Errors.** All errors are RFC 9457 \`application/problem+json\`; programs should match on \`code\`. \`X-Request-Id\`
identifies every call. Before it reaches an operation, any request may fail with \`malformed_request\` (400),
\`request_timeout\` (408), \`expectation_failed\` (417) or \`headers_too_large\` (431). Paths are case-sensitive and
have no trailing slash.

**Rate limits.** Each device has the bucket \`device\`. Control calls, except reads that are not relayed, consume from
\`metadata\` and \`relay\` of the account. \`x-rate-limit-bucket\` names the bucket of an operation, and responses
report what remains in it. Calls without a credential are limited by address, which only their 429 reports.

**Other behaviour.** \`HEAD\` mirrors every \`GET\`. An unsupported method returns 405 \`method_not_allowed\` with
\`Allow\`, an unknown path 404 \`not_found\`. Other origins have no access.
`.trim();

export const LOGIN_COOKIE_SCHEME = 'login';
export const CSRF_TOKEN_SCHEME = 'csrf';

/** The document of the account and device API, `GET {host_url}/v1/openapi.json`. */
export const DEVICE_API_DOCUMENT: DocumentDefinition = {
  head: {
    openapi: '3.1.1',
    info: {
      title: 'Account and device API',
      summary: 'Accounts, devices, synchronization and control',
      description: DEVICE_API_DESCRIPTION,
      version: '1.0.0',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: buildServers(HOST_ROOT_URL),
  },
  tags: {
    ...OPERATION_TAGS,
    Account: 'The account, and its access tokens, apps and key grants.',
    Control: 'Operations of the External API for account devices, under `/v1/control`.',
    Description: 'Descriptions of this API.',
  },
  securitySchemes: {
    [DEVICE_SCHEME]: DEVICE_SECURITY_SCHEME,
    [LOGIN_COOKIE_SCHEME]: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-external_api_session',
      description: 'The login of a browser. Without TLS the cookie has no prefix: `external_api_session`.',
    },
    [CSRF_TOKEN_SCHEME]: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'The CSRF token of the login, which each form of the console has in its field `csrf`.',
    },
  },
  hasBrowserLogin: true,
  hasWebhooks: false,
  bucketNames: [...DOCUMENTED_BUCKET_NAMES, 'sign-up', 'pairing', 'pairing-codes', 'pairing-lock'],
  includesRoute: ({ path }) => path.startsWith('/v1/'),
  resolvePath: (path) => ({ path }),
};

import { CONFLICT_ERRORS, type ErrorDefinition } from './conflict-errors';

const DEFINITIONS = {
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    when: 'the request is not valid HTTP/1.1',
    advice: 'The connection is closed.',
    exampleDetail: 'The request is not valid HTTP/1.1.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    when:
      'invalid, too large or too deeply nested JSON, a wrong type or range, an unknown field or parameter, or two ' +
      'Authorization headers; up to 20 violations are reported',
    advice: 'The member `errors` lists the violations.',
    exampleDetail: '/limit must not be less than 1.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    when: 'the cursor was modified or used with other filters',
    advice: 'Start again from the first page.',
    exampleDetail: 'This cursor was made with other filters.',
  },
  missing_token: {
    status: 401,
    title: 'Missing token',
    when: 'the request has no credential',
    advice: 'Send a token in the Authorization header.',
    exampleDetail: 'Send a token as "Authorization: Bearer <token>".',
  },
  invalid_token: {
    status: 401,
    title: 'Invalid token',
    when: 'the credential is malformed, unknown, expired, revoked or of a kind that this path does not accept',
    exampleDetail: 'The token has expired.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    when: 'the token is valid but lacks a required scope',
    advice: 'The member `required` lists the scopes of the call.',
    exampleDetail: 'This token lacks sessions:write.',
  },
  machine_not_allowed: {
    status: 403,
    title: 'Machine not allowed',
    when: 'the token is limited to other machines',
    advice: 'Nothing ran. `GET /me` lists the machines of the token.',
    exampleDetail: 'This token is limited to other machines.',
  },
  no_content_grant: {
    status: 403,
    title: 'No content grant',
    when: 'no key grant allows this caller to read the content',
    exampleDetail: 'No key grant covers this content for this caller.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    when: 'the credential is of the wrong kind, or the account is suspended',
    exampleDetail: 'This credential may not do this.',
  },
  plan_limit_exceeded: {
    status: 403,
    title: 'Plan limit exceeded',
    when: "the account's plan limit is reached",
    advice: 'The member `limit` has its value.',
    exampleDetail: 'The plan allows 20 of these.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    when: "the id is malformed, unknown or another account's",
    exampleDetail: 'There is no such session.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    when: 'the path does not support the method',
    advice: 'The Allow header lists the supported methods.',
    exampleDetail: 'This path supports GET, HEAD.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    when: 'the resource is not available in any type of `Accept`',
    exampleDetail: 'This resource is available as application/json.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    when: 'the request did not arrive in time',
    advice: 'The connection is closed. Nothing ran.',
    exampleDetail: 'The request did not arrive in time.',
  },
  ...CONFLICT_ERRORS,
  gone: {
    status: 410,
    title: 'Gone',
    when: 'the route has been removed after its sunset date',
    advice: 'Its Link header names the successor.',
    exampleDetail: 'This route is gone. Use the new list instead.',
  },
  stream_expired: {
    status: 410,
    title: 'Stream expired',
    when: 'the events after `Last-Event-ID` are older than 24 hours or too many, or the database was restored',
    advice: 'List the records, and open a new stream without it. The member `lastEventId` repeats it.',
    exampleDetail:
      'The events after this id are no longer available. List the records, and open a new stream without it.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    when: 'the body exceeds 1 MiB',
    advice: 'Some routes have another limit, which `detail` states.',
    exampleDetail: 'The body may have at most 1048576 bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    when: 'the body is not application/json in UTF-8',
    advice: 'It may be compressed only on routes that require a credential.',
    exampleDetail: 'The body must be application/json in UTF-8.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    when: 'the Expect header is not 100-continue',
    exampleDetail: 'The only supported expectation is 100-continue.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    when: 'the Idempotency-Key was already used with a different request',
    advice: 'Use a new key for a different request.',
    exampleDetail: 'This Idempotency-Key was used with another request.',
  },
  grant_key_mismatch: {
    status: 422,
    title: 'Grant key mismatch',
    when: 'a sealed key or ciphertext cannot be decrypted, does not match or is misplaced',
    exampleDetail: 'The granted key does not open this content.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    when: "the account's or device's bucket is empty, or the IP address has sent too many invalid credentials",
    advice: 'Wait for the seconds in Retry-After.',
    exampleDetail: 'The metadata bucket takes 600 calls in 60 s. Try again in 37 s.',
  },
  device_busy: {
    status: 429,
    title: 'Device busy',
    when:
      'the device has reached its limit of concurrent calls, or has too much work to accept this one, ' +
      'such as no place for another agent',
    advice: 'Nothing ran.',
    exampleDetail: 'The device has reached its limit of calls in flight. Try again when one of them has ended.',
  },
  too_many_waits: {
    status: 429,
    title: 'Too many waits',
    when: 'the account or the instance has too many calls that wait for changes',
    advice: 'Wait for one of them to end, or read the record without `waitMs`.',
    exampleDetail: 'Too many calls wait for changes. Try again when one of them has ended.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many streams',
    when: 'the token, the account or the instance has too many event streams open',
    advice: 'Close a stream, or share one among the readers of an account.',
    exampleDetail: 'Too many event streams are open. Close one, or try again later.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    when: 'the request line and headers exceed 16 KiB',
    advice: 'The connection is closed.',
    exampleDetail: 'The request line and headers may have at most 16 KiB.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    when: 'the service failed unexpectedly',
    advice: 'Quote the `requestId` when asking for help.',
    exampleDetail: 'Something went wrong here. Quote the request id when asking for help.',
  },
  device_error: {
    status: 502,
    title: 'Device error',
    when: 'the device returned an error or an invalid response (`deviceError.code` `invalid_answer`)',
    advice: 'The member `deviceError` has the error of the device.',
    exampleDetail: 'The device answered with an error: command_not_found.',
  },
  device_disconnected: {
    status: 502,
    title: 'Device disconnected',
    when: 'the device or its instance disconnected or stopped responding during the call',
    advice: 'The call may have run.',
    exampleDetail: 'The device disconnected during the call. The call may have run.',
  },
  no_online_device: {
    status: 503,
    title: 'No online device',
    when: 'no device that can serve the call is online',
    advice: 'Nothing ran.',
    exampleDetail: 'No device that can serve this call is online. Connect a device and try again.',
  },
  read_only: {
    status: 503,
    title: 'Read-only',
    when: 'the service is read-only during maintenance, and the call would change data or is relayed to a device',
    advice: 'Nothing ran. Reads go on. Wait for the seconds in Retry-After.',
    exampleDetail: 'The service is read-only during maintenance. Try again later.',
  },
  relay_unavailable: {
    status: 503,
    title: 'Relay unavailable',
    when: 'the relay is temporarily unavailable',
    advice: 'Nothing ran.',
    exampleDetail: 'The relay is temporarily unavailable. Try again later.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    when: 'the instance is shutting down or cannot reach its database',
    advice: 'Clients with too many unread responses also get it. Retry later.',
    exampleDetail: 'This instance is shutting down. Try again.',
  },
  timeout: {
    status: 504,
    title: 'Timeout',
    when: 'the device did not respond in time',
    advice: 'The call may have run.',
    exampleDetail: 'The device did not answer in time. The call may have run.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof DEFINITIONS;

/**
 * Public error codes (docs/protocol/external-api.md#errors). Problem documents, the OpenAPI document and the error list
 * of `/docs/errors` are built from it.
 */
export const ERROR_CATALOG: Readonly<Record<ErrorCode, ErrorDefinition>> = DEFINITIONS;

import { SCOPE_NAMES, type Scope } from '../../auth';
import { ERRORS, type ErrorCode } from '../../common/errors';
import type { Json } from './schema';
import { schemaRef } from './schema';

/** What is particular to an error code (external-api.md §1, Errors). */
export interface ProblemDoc {
  when: string;
  /** As the API words it. */
  detail: string;
  /** Members beyond those of every problem, with an example each. */
  members?: Record<string, { schema: Json; example: unknown }>;
  /** Headers that such an answer always has. */
  headers?: readonly string[];
}

const outcome = (value: 'not_delivered' | 'unknown' | 'answered') => ({
  schema: { ...schemaRef('Outcome') },
  example: value,
});
const required: readonly Scope[] = ['sessions:write'];
const text = { type: 'string' };
const retryAfter = ['Retry-After'];
const challenge = ['WWW-Authenticate'];

/** Complete by its type: a code that is added to the service is added here. */
export const PROBLEMS: Record<ErrorCode, ProblemDoc> = {
  invalid_request: {
    when: 'bad JSON, a wrong type or range, an unknown field or parameter; every fault at once',
    detail: '/limit must not be less than 1.',
    members: {
      errors: {
        schema: { type: 'array', minItems: 1, items: schemaRef('RequestFault') },
        example: [{ in: 'query', path: '/limit', code: 'out_of_range', message: '/limit must not be less than 1.' }],
      },
    },
  },
  invalid_cursor: {
    when: 'a cursor changed by hand or used with other filters',
    detail: 'This cursor was made with other filters.',
  },
  missing_token: {
    when: 'no credential',
    detail: 'Send a token as "Authorization: Bearer <token>".',
    headers: challenge,
  },
  invalid_token: {
    when: 'a credential that is malformed, unknown, expired, revoked, or of a kind that this path does not take',
    detail: 'The token has expired.',
    members: {
      reason: {
        schema: { ...text, enum: ['malformed', 'expired', 'revoked', 'unknown'] },
        example: 'expired',
      },
    },
    headers: challenge,
  },
  insufficient_scope: {
    when: 'a valid token without the scope',
    detail: 'This token lacks sessions:write.',
    members: {
      required: {
        schema: { type: 'array', minItems: 1, items: { ...text, enum: SCOPE_NAMES } },
        example: required,
      },
    },
    headers: challenge,
  },
  no_content_grant: {
    when: 'content asked for without a key grant that covers this caller',
    detail: 'No key grant covers this content for this caller.',
  },
  forbidden: {
    when: 'a credential of the wrong kind, or an account that is suspended',
    detail: 'This credential may not do this.',
  },
  plan_limit_exceeded: {
    when: "the plan's limit is reached",
    detail: 'The plan allows 20 of these.',
    members: { limit: { schema: { type: 'integer', minimum: 0 }, example: 20 } },
  },
  not_found: {
    when: "an id that is malformed, unknown or another account's",
    detail: 'There is no such session.',
  },
  method_not_allowed: {
    when: 'a known path with another method',
    detail: 'This path takes GET, HEAD.',
    headers: ['Allow'],
  },
  not_acceptable: {
    when: '`Accept` names nothing that there is',
    detail: 'This resource is available as application/json.',
  },
  conflict: {
    when: 'the resource is not in the state that the request expects',
    detail: 'The resource has changed meanwhile.',
  },
  session_not_active: {
    when: 'the session has ended',
    detail: 'The session has ended; messages go into active ones.',
  },
  idempotency_in_progress: {
    when: 'the first call with this Idempotency-Key is still running',
    detail: 'The first call with this Idempotency-Key is still running.',
  },
  gone: { when: 'the route is past its sunset', detail: 'This route is gone. Use the new list instead.' },
  payload_too_large: {
    when: 'a body of more than 1 MiB',
    detail: 'The body may hold at most 1048576 bytes.',
  },
  unsupported_media_type: {
    when: 'a body that is not application/json in UTF-8',
    detail: 'The body must be application/json in UTF-8.',
  },
  idempotency_key_reused: {
    when: 'an Idempotency-Key that came with another request before',
    detail: 'This Idempotency-Key was used with another request.',
  },
  grant_key_mismatch: {
    when: 'a sealed key or ciphertext that does not open, does not match or is out of place',
    detail: 'The granted key does not open this content.',
  },
  rate_limited: {
    when: "the account's bucket is empty, or the address has sent too many bad credentials",
    detail: 'The metadata bucket takes 600 calls in 60 s. Try again in 37 s.',
    members: {
      bucket: { schema: { ...text, enum: ['metadata', 'relay', 'address'] }, example: 'metadata' },
    },
    headers: retryAfter,
  },
  device_busy: {
    when: 'the device has as many calls in flight as it takes',
    detail: 'The device has as many calls in flight as it takes.',
    members: { outcome: outcome('not_delivered') },
    headers: retryAfter,
  },
  internal_error: {
    when: 'a fault of the service',
    detail: 'Something went wrong here. Quote the request id when asking for help.',
  },
  device_error: {
    when: 'the device answered with an error, or with what is no answer (`deviceError.code` `invalid_answer`)',
    detail: 'The device answered with an error: command_not_found.',
    members: {
      deviceError: {
        schema: schemaRef('DeviceError'),
        example: { code: 'command_not_found', message: 'There is no program "gti".' },
      },
      outcome: outcome('answered'),
    },
  },
  device_disconnected: {
    when: 'the device, or the instance that holds it, vanished or fell silent during the call',
    detail: 'The device vanished during the call, which may have run.',
    members: { outcome: outcome('unknown') },
  },
  no_online_device: {
    when: 'no device that can serve the call is online',
    detail: 'No device that can serve this call is online.',
    members: { outcome: outcome('not_delivered') },
    headers: retryAfter,
  },
  relay_unavailable: {
    when: 'the relay cannot take the call now',
    detail: 'The relay cannot take this call now.',
    members: { outcome: outcome('not_delivered') },
    headers: retryAfter,
  },
  service_unavailable: {
    when: 'the instance is shutting down, or cannot reach its database',
    detail: 'This instance is shutting down.',
    members: { outcome: outcome('not_delivered') },
    headers: retryAfter,
  },
  timeout: {
    when: 'the device did not answer in time',
    detail: 'The device did not answer in time. The call may have run.',
    members: { outcome: outcome('unknown') },
  },
};

export const statusOf = (code: ErrorCode): number => ERRORS[code][0];

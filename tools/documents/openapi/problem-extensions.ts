import { SCOPE_NAMES, type Scope } from '../../../src/access/auth';
import type { ErrorCode } from '../../../src/common/errors';
import { buildIdExample, buildIdPattern } from '../../../src/common/http';
import { createSchemaRef, type OpenApiObject } from '../../../src/web/openapi';

/** Members and headers that an error has in addition to those of all problems. */
export interface ProblemExtension {
  /** With examples. */
  members?: Record<string, { schema: OpenApiObject; example: unknown; isOptional?: boolean }>;
  /** Headers that every such response has. */
  headers?: readonly string[];
}

const buildOutcomeMember = (value: 'not_delivered' | 'unknown' | 'answered') => ({
  schema: { ...createSchemaRef('Outcome') },
  example: value,
});
const REQUIRED_SCOPES_EXAMPLE: readonly Scope[] = ['sessions:write'];
const TEXT_SCHEMA = { type: 'string' };
const RETRY_AFTER_HEADERS = ['Retry-After'];
const CHALLENGE_HEADERS = ['WWW-Authenticate'];

export const PROBLEM_EXTENSIONS: Partial<Record<ErrorCode, ProblemExtension>> = {
  invalid_request: {
    members: {
      errors: {
        schema: { type: 'array', minItems: 1, maxItems: 20, items: createSchemaRef('RequestFault') },
        example: [{ in: 'query', path: '/limit', code: 'out_of_range', message: '/limit must not be less than 1.' }],
      },
      // Only for answers that a device has compared with the form of their question.
      outcome: { ...buildOutcomeMember('answered'), isOptional: true },
    },
  },
  missing_token: {
    headers: CHALLENGE_HEADERS,
  },
  invalid_token: {
    members: {
      reason: {
        schema: { ...TEXT_SCHEMA, enum: ['malformed', 'expired', 'revoked', 'unknown'] },
        example: 'expired',
      },
    },
    headers: CHALLENGE_HEADERS,
  },
  insufficient_scope: {
    members: {
      required: {
        schema: { type: 'array', minItems: 1, items: { ...TEXT_SCHEMA, enum: SCOPE_NAMES } },
        example: REQUIRED_SCOPES_EXAMPLE,
      },
      // Only for relayed calls.
      outcome: { ...buildOutcomeMember('answered'), isOptional: true },
    },
    headers: CHALLENGE_HEADERS,
  },
  machine_not_allowed: {
    members: { outcome: buildOutcomeMember('not_delivered') },
  },
  plan_limit_exceeded: {
    members: { limit: { schema: { type: 'integer', minimum: 0 }, example: 20 } },
  },
  stream_expired: {
    members: { lastEventId: { schema: { ...TEXT_SCHEMA }, example: 'eyJsaXN0IjoiZXZlbnRzIn0' } },
  },
  method_not_allowed: {
    headers: ['Allow'],
  },
  conflict: {
    members: {
      current: {
        schema: { type: 'integer', minimum: 1, description: 'The current version, if another one was expected.' },
        example: 2,
        isOptional: true,
      },
      // Only for relayed calls.
      outcome: { ...buildOutcomeMember('answered'), isOptional: true },
    },
  },
  session_busy: {
    members: { outcome: buildOutcomeMember('not_delivered') },
  },
  steer_unsupported: {
    members: { outcome: buildOutcomeMember('not_delivered') },
  },
  permission_not_pending: {
    members: { outcome: { ...buildOutcomeMember('answered'), isOptional: true } },
  },
  answer_not_kept: {
    members: {
      firstStatus: { schema: { type: 'integer', minimum: 200, maximum: 599 }, example: 200 },
      firstRequestId: {
        schema: { ...TEXT_SCHEMA, pattern: buildIdPattern('req') },
        example: buildIdExample('req'),
      },
      // Only for relayed calls.
      outcome: { ...buildOutcomeMember('answered'), isOptional: true },
    },
    headers: ['Idempotency-Replayed'],
  },
  rate_limited: {
    members: {
      bucket: {
        schema: { ...TEXT_SCHEMA },
        example: 'metadata',
      },
    },
    headers: RETRY_AFTER_HEADERS,
  },
  device_busy: {
    members: { outcome: buildOutcomeMember('not_delivered') },
    headers: RETRY_AFTER_HEADERS,
  },
  too_many_streams: { headers: RETRY_AFTER_HEADERS },
  too_many_waits: { headers: RETRY_AFTER_HEADERS },
  device_error: {
    members: {
      deviceError: {
        schema: createSchemaRef('DeviceError'),
        example: { code: 'command_not_found', message: 'There is no program "gti".' },
      },
      outcome: buildOutcomeMember('answered'),
    },
  },
  device_disconnected: {
    members: { outcome: buildOutcomeMember('unknown') },
  },
  no_online_device: {
    members: { outcome: buildOutcomeMember('not_delivered') },
    headers: RETRY_AFTER_HEADERS,
  },
  read_only: {
    members: { outcome: buildOutcomeMember('not_delivered') },
    headers: RETRY_AFTER_HEADERS,
  },
  relay_unavailable: {
    members: { outcome: buildOutcomeMember('not_delivered') },
    headers: RETRY_AFTER_HEADERS,
  },
  service_unavailable: {
    members: { outcome: buildOutcomeMember('not_delivered') },
    headers: RETRY_AFTER_HEADERS,
  },
  timeout: {
    members: { outcome: buildOutcomeMember('unknown') },
  },
};

import type { BucketName } from '../../../src/access/rate-limiting';
import { ERROR_CATALOG, type ErrorCode } from '../../../src/common/errors';
import { buildIdExample, buildIdPattern } from '../../../src/common/http';
import { PROBLEM_EXTENSIONS } from './problem-extensions';
import { createSchemaRef, type OpenApiObject, type SchemasByName } from '../../../src/web/openapi';

/** Converts `not_found` to `NotFound`. */
export const toPascalCase = (code: string) =>
  code.replace(/(^|_)(\w)/g, (_, _bar, letter: string) => letter.toUpperCase());

/** Schema of all errors, which is an alternative to those of the known codes: others may be added. */
export const PROBLEM_SCHEMA_NAME = 'Problem';

export const getProblemSchemaName = (code: ErrorCode) => `${toPascalCase(code)}Problem`;

/** RFC 9457 problem with the members common to all errors of this API. */
const PROBLEM_SCHEMA: OpenApiObject = {
  type: 'object',
  description: 'RFC 9457 problem details. Programs should match on `code`, which is stable.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Documentation of this error.',
      examples: ['https://api.test/docs/errors#not_found'],
    },
    title: { type: 'string', examples: ['Not found'] },
    status: { type: 'integer', minimum: 400, maximum: 599, examples: [404] },
    detail: {
      type: 'string',
      description: 'Human-readable explanation of the error.',
      examples: ['There is no such session.'],
    },
    code: { type: 'string', description: 'Stable error code.', examples: ['not_found'] },
    requestId: {
      type: 'string',
      pattern: buildIdPattern('req'),
      description: "Quote it when asking for help. A replayed response has the first call's id.",
      examples: [buildIdExample('req')],
    },
  },
};

const REQUEST_VIOLATION_SCHEMA: OpenApiObject = {
  type: 'object',
  description: 'One violation in a request.',
  required: ['in', 'path', 'code', 'message'],
  properties: {
    in: { type: 'string', enum: ['body', 'query', 'header'], examples: ['query'] },
    path: {
      type: 'string',
      description: 'JSON pointer (RFC 6901), also for query parameters. Empty for the whole body.',
      examples: ['/limit'],
    },
    code: {
      type: 'string',
      description:
        'For example `required`, `invalid_type`, `invalid_format`, `out_of_range`, `not_allowed`, `unknown_field`, ' +
        '`unknown_parameter`, `repeated_parameter`, `repeated_header`, `invalid_json`, `too_deep` and ' +
        '`too_many_members`.',
      examples: ['out_of_range'],
    },
    message: { type: 'string', examples: ['/limit must not be less than 1.'] },
  },
};

const DEVICE_ERROR_SCHEMA: OpenApiObject = {
  type: 'object',
  description: 'The error as reported by the device.',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', pattern: '^[\\w.-]{1,64}$', examples: ['command_not_found'] },
    message: { type: 'string', maxLength: 2_000, examples: ['There is no program "gti".'] },
    sessionId: {
      type: 'string',
      description: 'With `session_exists`, if the device knows it: the session that is there already.',
      examples: [buildIdExample('ses')],
    },
  },
};

const OUTCOME_SCHEMA: OpenApiObject = {
  type: 'string',
  enum: ['not_delivered', 'unknown', 'answered'],
  description:
    'What is known about the call. `not_delivered`: nothing ran; it is safe to retry. `unknown`: the call may have ' +
    'run; retry with the same Idempotency-Key. `answered`: the device responded.',
  examples: ['unknown'],
};

const OAUTH_ERROR_SCHEMA: OpenApiObject = {
  type: 'object',
  description: 'RFC 6749 §5.2.',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', examples: ['invalid_grant'] },
    error_description: {
      type: 'string',
      description: 'Explanation of the error for the developer.',
      examples: ['The code is unknown, used or expired.'],
    },
  },
};

/**
 * Builds the common problem schema and one schema per code that extends it.
 * @param bucketNames buckets that a 429 may name
 */
export function buildProblemSchemas(bucketNames: readonly BucketName[]): SchemasByName {
  const codes = Object.keys(ERROR_CATALOG) as ErrorCode[];
  return {
    [PROBLEM_SCHEMA_NAME]: PROBLEM_SCHEMA,
    RequestFault: REQUEST_VIOLATION_SCHEMA,
    DeviceError: DEVICE_ERROR_SCHEMA,
    Outcome: OUTCOME_SCHEMA,
    OAuthError: OAUTH_ERROR_SCHEMA,
    ...Object.fromEntries(codes.map((code) => [getProblemSchemaName(code), buildProblemSchema(code, bucketNames)])),
  };
}

function buildProblemSchema(code: ErrorCode, bucketNames: readonly BucketName[]): OpenApiObject {
  const { status, title, when } = ERROR_CATALOG[code];
  const { members = {} } = PROBLEM_EXTENSIONS[code] ?? {};
  const memberSchemas = Object.entries(members).map(
    ([name, { schema }]) => [name, name === 'bucket' ? { ...schema, enum: bucketNames } : schema] as const,
  );
  const required = Object.keys(members).filter((name) => !members[name]!.isOptional);
  return {
    description: `${title}: ${when}.`,
    allOf: [
      createSchemaRef(PROBLEM_SCHEMA_NAME),
      {
        type: 'object',
        required: ['status', 'code', ...required],
        properties: {
          status: { type: 'integer', const: status },
          code: { type: 'string', const: code },
          ...Object.fromEntries(memberSchemas),
        },
      },
    ],
  };
}

/** Builds an example problem of this code. */
export function buildProblemExample(code: ErrorCode): OpenApiObject {
  const { status, title, exampleDetail } = ERROR_CATALOG[code];
  const { members = {} } = PROBLEM_EXTENSIONS[code] ?? {};
  return {
    type: `https://api.test/docs/errors#${code}`,
    title,
    status,
    detail: exampleDetail,
    code,
    requestId: buildIdExample('req'),
    ...Object.fromEntries(Object.entries(members).map(([name, { example }]) => [name, example])),
  };
}

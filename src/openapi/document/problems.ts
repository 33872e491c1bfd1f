import { ERRORS, type ErrorCode } from '../../common/errors';
import { idExample, idPattern } from '../../common/http';
import { PROBLEMS, statusOf } from './problem-catalogue';
import { schemaRef, type Json, type Schemas } from './schema';

/** `not_found` → `NotFound` */
export const pascal = (code: string) => code.replace(/(^|_)(\w)/g, (_, _bar, letter: string) => letter.toUpperCase());

export const problemSchemaName = (code: ErrorCode) => `${pascal(code)}Problem`;

/** RFC 9457, with the members that every error of this API has. */
const PROBLEM: Json = {
  type: 'object',
  description: 'RFC 9457 problem details. `code` is the stable part that programs match on.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Page of this kind of error.',
      examples: ['https://api.test/docs/errors#not_found'],
    },
    title: { type: 'string', examples: ['Not found'] },
    status: { type: 'integer', minimum: 400, maximum: 599, examples: [404] },
    detail: {
      type: 'string',
      description: 'What is wrong with this request, for people.',
      examples: ['There is no such session.'],
    },
    code: { type: 'string', description: 'Stable; one of the codes documented.', examples: ['not_found'] },
    requestId: {
      type: 'string',
      pattern: idPattern('req'),
      description: "To be quoted when asking for help. A replayed answer keeps the first call's.",
      examples: [idExample('req')],
    },
  },
};

const REQUEST_FAULT: Json = {
  type: 'object',
  description: 'One fault of a request.',
  required: ['in', 'path', 'code', 'message'],
  properties: {
    in: { type: 'string', enum: ['body', 'query', 'header'], examples: ['query'] },
    path: {
      type: 'string',
      description: 'JSON pointer (RFC 6901), for query parameters too; empty: the whole body.',
      examples: ['/limit'],
    },
    code: {
      type: 'string',
      description:
        'Among them `required`, `invalid_type`, `invalid_format`, `out_of_range`, `not_allowed`, `unknown_field` and ' +
        '`unknown_parameter`.',
      examples: ['out_of_range'],
    },
    message: { type: 'string', examples: ['/limit must not be less than 1.'] },
  },
};

const DEVICE_ERROR: Json = {
  type: 'object',
  description: 'The error as the device worded it.',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', pattern: '^[\\w.-]{1,64}$', examples: ['command_not_found'] },
    message: { type: 'string', maxLength: 2_000, examples: ['There is no program "gti".'] },
  },
};

const OUTCOME: Json = {
  type: 'string',
  enum: ['not_delivered', 'unknown', 'answered'],
  description:
    'What is known of the call, never guessed from silence. `not_delivered`: nothing ran, it is safe to try again. ' +
    '`unknown`: it may have run; try again with the same Idempotency-Key. `answered`: the device answered.',
  examples: ['unknown'],
};

const OAUTH_ERROR: Json = {
  type: 'object',
  description: 'RFC 6749 §5.2.',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', examples: ['invalid_grant'] },
    error_description: {
      type: 'string',
      description: 'What is wrong with this request, for the developer.',
      examples: ['The code is unknown, used or expired.'],
    },
  },
};

/** The schemas of all problems: the common one, and one per code that extends it. */
export function problemSchemas(): Schemas {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return {
    Problem: PROBLEM,
    RequestFault: REQUEST_FAULT,
    DeviceError: DEVICE_ERROR,
    Outcome: OUTCOME,
    OAuthError: OAUTH_ERROR,
    ...Object.fromEntries(codes.map((code) => [problemSchemaName(code), problemSchema(code)])),
  };
}

function problemSchema(code: ErrorCode): Json {
  const { when, members = {} } = PROBLEMS[code];
  const own = Object.entries(members).map(([name, { schema }]) => [name, schema] as const);
  return {
    description: `${ERRORS[code][1]}: ${when}.`,
    allOf: [
      schemaRef('Problem'),
      {
        type: 'object',
        required: ['status', 'code', ...Object.keys(members)],
        properties: {
          status: { type: 'integer', const: statusOf(code) },
          code: { type: 'string', const: code },
          ...Object.fromEntries(own),
        },
      },
    ],
  };
}

/** A whole problem document of this code, as the service would send it. */
export function problemExample(code: ErrorCode): Json {
  const { detail, members = {} } = PROBLEMS[code];
  return {
    type: `https://api.test/docs/errors#${code}`,
    title: ERRORS[code][1],
    status: statusOf(code),
    detail,
    code,
    requestId: idExample('req'),
    ...Object.fromEntries(Object.entries(members).map(([name, { example }]) => [name, example])),
  };
}

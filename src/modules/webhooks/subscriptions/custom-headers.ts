import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** Headers that the creator of a webhook adds to its requests, by lower-case name. */
export type CustomHeaders = Readonly<Record<string, string>>;

const MAX_HEADERS = 10;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 2_000;
/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 §5.5, without `obs-text`, whose encoding receivers don't agree on. */
const FIELD_VALUE = /^[\t -~]+$/;
/**
 * Headers that the service sets, that describe the body, that are for one connection only (RFC 9110 §7.6.1), and
 * signatures (RFC 9421), which a receiver must not take for those of the service.
 */
const RESERVED_NAMES = new Set(
  (
    'host expect user-agent traceparent tracestate signature signature-input ' +
    'connection keep-alive te trailer transfer-encoding upgrade'
  ).split(' '),
);
const RESERVED_PREFIX = /^(content|proxy|webhook)-/;

/** Declares the headers of a webhook: an object of texts, at most ten (docs/protocol/webhooks.md#headers). */
export function CustomHeadersField(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      maxProperties: MAX_HEADERS,
      additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_VALUE_LENGTH },
      example: { Authorization: 'Bearer tk_of_the_receiver' },
    }),
    ValidateBy({
      name: 'isHeaders',
      validator: {
        validate: (value: unknown) => findHeadersViolation(value) === null,
        defaultMessage: (validation?: ValidationArguments) => `$property ${findHeadersViolation(validation!.value)}`,
      },
    }),
  );
}

/** Returns what is wrong with the headers, as a clause that names the header but not its value; null: nothing. */
export function findHeadersViolation(headers: unknown): string | null {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return 'must be an object of texts';
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `must have at most ${MAX_HEADERS} headers`;
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) return 'must not have a header twice, whose names differ in case only';
  for (const [name, value] of entries) {
    if (name.length > MAX_NAME_LENGTH || !TOKEN.test(name))
      return `has a name that is not a token of RFC 9110 with at most ${MAX_NAME_LENGTH} characters`;
    if (isReserved(name.toLowerCase())) return `must not have the header ${name}, which is not yours to set`;
    if (!isFieldValue(value))
      return `must have 1 to ${MAX_VALUE_LENGTH} printable ASCII characters, without spaces around, for ${name}`;
  }
  return null;
}

const isReserved = (name: string) => RESERVED_NAMES.has(name) || RESERVED_PREFIX.test(name);

function isFieldValue(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && FIELD_VALUE.test(value) && value.trim() === value
  );
}

/** Returns valid headers by lower-case name, the names in order. */
export function normalizeHeaders(headers: CustomHeaders): CustomHeaders {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

import { PROBLEM_MEDIA_TYPE, type ErrorCode } from '../../common/errors';
import { errorsOf, takesKey, type RouteFacts } from './derived-errors';
import { headerRefs, RATE_HEADERS } from './headers';
import { PROBLEMS, statusOf } from './problem-catalogue';
import { pascal, problemExample, problemSchemaName } from './problems';
import { schemaRef, type Json } from './schema';

const DEPRECATION_HEADERS = ['Deprecation', 'Link'];
/** Statuses of a call that ends before it draws on its bucket. */
const BEFORE_THE_BUCKET = [401, 410];
/** Of a call that may end before it: a bad credential is counted by address, and a fault can be anywhere. */
const AROUND_THE_BUCKET = [429, 500, 503];
/** Refusals that are kept under an Idempotency-Key, since something may have happened. */
const KEPT: readonly ErrorCode[] = ['device_error', 'device_disconnected', 'timeout'];

/** Headers of an answer of this status, those of its content apart. */
export function commonHeaders(
  { bucket, deprecation }: RouteFacts,
  status: number,
  always: string[] = [],
  sometimes: string[] = [],
) {
  const drawn = bucket !== null && !BEFORE_THE_BUCKET.includes(status);
  const certain = drawn && !AROUND_THE_BUCKET.includes(status);
  return headerRefs(
    [
      'X-Request-Id',
      ...always,
      ...(certain ? RATE_HEADERS : []),
      ...(deprecation ? DEPRECATION_HEADERS : []),
      ...(deprecation && deprecation.sunsetAt !== null ? ['Sunset'] : []),
    ],
    [...sometimes, ...(drawn && !certain ? RATE_HEADERS : [])],
  );
}

/** The error answers of an operation by status: every code with its schema and an example. */
export function errorResponses(route: RouteFacts): Record<string, { name: string; response: Json }> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(errorsOf(route))) {
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.map(pascal).join('Or') + (route.bucket === null ? 'Anonymous' : '');
      return [String(status), { name, response: errorResponse(route, status, codes) }];
    }),
  );
}

function errorResponse(route: RouteFacts, status: number, codes: ErrorCode[]): Json {
  const owned = codes.map((code) => PROBLEMS[code].headers ?? []);
  const all = [...new Set(owned.flat())];
  const always = all.filter((name) => owned.every((names) => names.includes(name)));
  const sometimes = all.filter((name) => !always.includes(name));
  if (takesKey(route) && codes.some((code) => KEPT.includes(code))) sometimes.push('Idempotency-Replayed');
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].when}.`).join('\n\n'),
    headers: commonHeaders(route, status, always, sometimes),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: codes.length === 1 ? schemaRef(problemSchemaName(codes[0]!)) : oneOf(codes),
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
      },
    },
  };
}

function oneOf(codes: ErrorCode[]): Json {
  const refs = codes.map((code) => schemaRef(problemSchemaName(code)));
  const mapping = Object.fromEntries(codes.map((code, i) => [code, refs[i]!.$ref]));
  return { oneOf: refs, discriminator: { propertyName: 'code', mapping } };
}

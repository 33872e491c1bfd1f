import { ERROR_CATALOG, PROBLEM_MEDIA_TYPE, type ErrorCode } from '../../../src/common/errors';
import { deriveErrorCodes, type RouteFacts } from './derived-errors';
import { buildHeaderRefs, RATE_HEADER_NAMES } from './headers';
import { PROBLEM_EXTENSIONS } from './problem-extensions';
import { toPascalCase, buildProblemExample, getProblemSchemaName, PROBLEM_SCHEMA_NAME } from './problem-schemas';
import { createSchemaRef, type OpenApiObject } from '../../../src/web/openapi';

const DEPRECATION_HEADERS = ['Deprecation', 'Link'];
/** Returns whether calls with this status end before consuming from their bucket. Sunset routes answer 410. */
const isBeforeRateLimit = (status: number, deprecation: RouteFacts['deprecation']) =>
  status === 401 || (status === 410 && deprecation !== undefined);
/** Statuses of calls that may end before it, such as a request with two credentials or an internal error. */
const STATUSES_WITH_OPTIONAL_RATE_LIMIT = [400, 500, 503];
/** Errors stored under an Idempotency-Key because the call may have had an effect. */
const STORED_ERROR_CODES: readonly ErrorCode[] = ['device_error', 'device_disconnected', 'timeout'];

/** Builds the headers of a response with this status, except content headers. */
export function buildCommonHeaders(
  { bucket, acceptsLogin, deprecation }: RouteFacts,
  status: number,
  requiredHeaders: string[] = [],
  optionalHeaders: string[] = [],
) {
  const hasRateHeaders = bucket !== null && !isBeforeRateLimit(status, deprecation);
  // A call with a login and a wrong CSRF token, or of a device that must not control, is refused before.
  const isOptional = STATUSES_WITH_OPTIONAL_RATE_LIMIT.includes(status) || (status === 403 && acceptsLogin);
  const hasRequiredRateHeaders = hasRateHeaders && !isOptional;
  return buildHeaderRefs(
    [
      'X-Request-Id',
      ...requiredHeaders,
      ...(hasRequiredRateHeaders ? RATE_HEADER_NAMES : []),
      ...(deprecation ? DEPRECATION_HEADERS : []),
      ...(deprecation && deprecation.sunsetAt !== null ? ['Sunset'] : []),
    ],
    [...optionalHeaders, ...(hasRateHeaders && !hasRequiredRateHeaders ? RATE_HEADER_NAMES : [])],
  );
}

/** Builds the error responses of an operation by status, with a schema and an example per code. */
export function buildErrorResponses(route: RouteFacts): Record<string, { name: string; response: OpenApiObject }> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(deriveErrorCodes(route))) {
    const { status } = ERROR_CATALOG[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.map(toPascalCase).join('Or') + (route.bucket === null ? 'Anonymous' : '');
      return [String(status), { name, response: buildErrorResponse(route, status, codes) }];
    }),
  );
}

function buildErrorResponse(route: RouteFacts, status: number, codes: ErrorCode[]): OpenApiObject {
  const headersByCode = codes.map((code) => PROBLEM_EXTENSIONS[code]?.headers ?? []);
  const headerNames = [...new Set(headersByCode.flat())];
  const requiredHeaders = headerNames.filter((name) => headersByCode.every((names) => names.includes(name)));
  const optionalHeaders = headerNames.filter((name) => !requiredHeaders.includes(name));
  if (route.acceptsIdempotencyKey && codes.some((code) => STORED_ERROR_CODES.includes(code)))
    optionalHeaders.push('Idempotency-Replayed');
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOG[code].when}.`).join('\n\n'),
    headers: buildCommonHeaders(route, status, requiredHeaders, optionalHeaders),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { anyOf: [...codes.map(getProblemSchemaName), PROBLEM_SCHEMA_NAME].map(createSchemaRef) },
        examples: Object.fromEntries(codes.map((code) => [code, { value: buildProblemExample(code) }])),
      },
    },
  };
}

import { canReachMachines, type RoutePolicy } from '../../../src/access/auth';
import type { ErrorCode } from '../../../src/common/errors';
import type { OperationSpec } from '../../../src/common/http';
import type { Deprecation } from '../../../src/access/deprecation';
import type { BucketName } from '../../../src/access/rate-limiting';

/** Facts about a route from its decorators. */
export interface RouteFacts {
  method: string;
  path: string;
  policy: RoutePolicy;
  spec: OperationSpec;
  /** Bucket whose state the responses show. */
  bucket: BucketName | null;
  /** Whether the route consumes from a bucket of the caller's address, which only a 429 shows. */
  isLimitedByAddress: boolean;
  /** Whether the document describes the login of a browser as a credential of the route. */
  acceptsLogin: boolean;
  /** Whether the handler has an `@IdempotencyKey` parameter. */
  acceptsIdempotencyKey: boolean;
  /** Whether read-only mode refuses the route. */
  changesData: boolean;
  deprecation: Deprecation | undefined;
}

const RELAY_ERROR_CODES: ErrorCode[] = [
  'device_busy',
  'device_error',
  'device_disconnected',
  'no_online_device',
  'relay_unavailable',
  'timeout',
];

export const hasPathId = ({ path }: RouteFacts) => path.includes('{');
/** Content, answers of devices, events and redirects are not cacheable. */
export const isCacheable = ({ method, spec, bucket }: RouteFacts) =>
  method === 'GET' &&
  bucket !== 'relay' &&
  !['content', 'events', 'redirect'].includes(spec.response.kind) &&
  !('isStreamed' in spec.response && spec.response.isStreamed);
/** An unexpected body is also read and rejected. */
export const canHaveBody = ({ method }: RouteFacts) => method !== 'GET';

/** Returns every error code of an operation: those implied by its policy, method, path and bucket, and its own. */
export function deriveErrorCodes(route: RouteFacts): ErrorCode[] {
  const { policy, spec, bucket, isLimitedByAddress, acceptsIdempotencyKey, changesData, deprecation } = route;
  const codesIf = (condition: boolean, ...codes: ErrorCode[]) => (condition ? codes : []);
  const ownCodes = spec.errorCodes ?? [];
  // Some operations require scopes that depend on their input. Those under `/v1/control` have all scopes.
  const requiresScope =
    (policy.kind === 'token' && policy.scopes.length > 0) ||
    (policy.kind !== 'control' && ownCodes.includes('insufficient_scope'));
  const isAuthenticated = ['token', 'device', 'control'].includes(policy.kind);
  return [
    'invalid_request',
    ...codesIf(spec.response.kind === 'list', 'invalid_cursor'),
    ...codesIf(isAuthenticated, 'missing_token', 'invalid_token'),
    ...codesIf(requiresScope, 'insufficient_scope'),
    ...codesIf(policy.kind === 'token' && canReachMachines(policy.scopes), 'machine_not_allowed'),
    ...codesIf(isAuthenticated, 'forbidden'),
    ...codesIf(hasPathId(route), 'not_found'),
    'not_acceptable',
    ...codesIf(acceptsIdempotencyKey, 'idempotency_in_progress', 'answer_not_kept'),
    ...codesIf(deprecation !== undefined && deprecation.sunsetAt !== null, 'gone'),
    ...codesIf(canHaveBody(route), 'payload_too_large', 'unsupported_media_type'),
    ...codesIf(acceptsIdempotencyKey, 'idempotency_key_reused'),
    ...codesIf(isAuthenticated || isLimitedByAddress, 'rate_limited'),
    ...codesIf(bucket === 'relay', ...RELAY_ERROR_CODES),
    ...ownCodes.filter((code) => code !== 'insufficient_scope'),
    'internal_error',
    ...codesIf(changesData, 'read_only'),
    'service_unavailable',
  ];
}

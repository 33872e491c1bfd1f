import type { RoutePolicy } from '../../auth';
import type { ErrorCode } from '../../common/errors';
import type { OperationSpec } from '../../common/http';
import type { Deprecation } from '../../deprecations';

/** What is known of a route from its declarations. */
export interface RouteFacts {
  method: string;
  path: string;
  policy: RoutePolicy;
  spec: OperationSpec;
  bucket: 'metadata' | 'relay' | null;
  deprecation: Deprecation | undefined;
}

const RELAY: ErrorCode[] = [
  'device_busy',
  'device_error',
  'device_disconnected',
  'no_online_device',
  'relay_unavailable',
  'timeout',
];

export const takesKey = ({ method, policy }: RouteFacts) => method === 'POST' && policy.kind === 'token';
export const hasId = ({ path }: RouteFacts) => path.includes('{');
/** Content and ways elsewhere are not kept anywhere. */
export const isCacheable = ({ method, spec }: RouteFacts) =>
  method === 'GET' && spec.answer.kind !== 'content' && spec.answer.kind !== 'redirect';
/** A body that nobody asked for is read and refused, too. */
export const takesBody = ({ method }: RouteFacts) => method !== 'GET';

/** Every error code of an operation: what its policy, method, path and bucket bring with them, and its own. */
export function errorsOf(route: RouteFacts): ErrorCode[] {
  const { policy, spec, bucket, deprecation } = route;
  const when = (condition: boolean, ...codes: ErrorCode[]) => (condition ? codes : []);
  return [
    'invalid_request',
    ...when(spec.answer.kind === 'page', 'invalid_cursor'),
    ...when(policy.kind === 'token', 'missing_token', 'invalid_token'),
    ...when(policy.kind === 'token' && policy.scopes.length > 0, 'insufficient_scope'),
    ...when(policy.kind === 'token', 'forbidden'),
    ...when(hasId(route), 'not_found'),
    'not_acceptable',
    ...when(takesKey(route), 'idempotency_in_progress'),
    ...when(deprecation !== undefined && deprecation.sunsetAt !== null, 'gone'),
    ...when(takesBody(route), 'payload_too_large', 'unsupported_media_type'),
    ...when(takesKey(route), 'idempotency_key_reused'),
    ...when(policy.kind === 'token', 'rate_limited'),
    ...when(bucket === 'relay', ...RELAY),
    ...(spec.errors ?? []),
    'internal_error',
    'service_unavailable',
  ];
}

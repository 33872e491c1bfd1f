import { createParamDecorator, Injectable, type ExecutionContext, type OnApplicationBootstrap } from '@nestjs/common';
import type { Request } from 'express';
import { getRoutePolicy } from '../auth';
import { invalidRequestError } from '../../common/errors';
import { RouteRegistry, type Route } from '../../common/http';

const IDEMPOTENCY_KEY_METADATA = 'idempotency:accepts-key';

/**
 * Injects the validated `Idempotency-Key` header, or null, and adds the header to the route's OpenAPI operation. The
 * handler passes the key to `IdempotentWritesService` or `IdempotencyService`.
 * @throws ApiError 400 `invalid_request` if the key is malformed
 */
export function IdempotencyKey(): ParameterDecorator {
  return (controller, methodName, parameterIndex) => {
    InjectKeyHeader()(controller, methodName, parameterIndex);
    const handler = (controller as Record<string | symbol, object>)[methodName!]!;
    Reflect.defineMetadata(IDEMPOTENCY_KEY_METADATA, true, handler);
  };
}

/** Returns whether the handler has an `@IdempotencyKey` parameter. */
export function acceptsIdempotencyKey(handler: object): boolean {
  return Reflect.hasMetadata(IDEMPOTENCY_KEY_METADATA, handler);
}

const InjectKeyHeader = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidRequestError([
    {
      in: 'header',
      path: '/Idempotency-Key',
      code: 'invalid_format',
      message: 'Idempotency-Key must be 1 to 255 visible characters.',
    },
  ]);
});

/**
 * Fails the startup if a `POST` of the External API or a control route ignores `Idempotency-Key`, which all of them
 * promise (docs/protocol/external-api.md#idempotency), or if another route accepts it.
 */
@Injectable()
export class IdempotentRouteValidator implements OnApplicationBootstrap {
  constructor(private readonly routes: RouteRegistry) {}

  onApplicationBootstrap(): void {
    this.routes.refuseRoutes(
      'A route must have an @IdempotencyKey parameter exactly if it is a POST of the External API. Fix',
      (route) => isExternalWrite(route) !== acceptsIdempotencyKey(route.handler),
    );
  }
}

function isExternalWrite(route: Route): boolean {
  const policyKind = getRoutePolicy(route)?.kind;
  return route.method === 'POST' && (policyKind === 'token' || policyKind === 'control');
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { DevicePrincipal, Principal, TokenPrincipal } from './principal';

function principalOf<K extends Principal['kind']>(context: ExecutionContext, kind: K) {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (principal?.kind !== kind) throw new Error(`The route's policy does not promise a ${kind}.`);
  return principal as Extract<Principal, { kind: K }>;
}

/** The External API caller, on a `@RequireScopes` route. */
export const CurrentToken = createParamDecorator((_: unknown, context: ExecutionContext): TokenPrincipal =>
  principalOf(context, 'token'),
);

/** The signed-in device, on a `@DeviceOnly` or `@SessionOnly` route. */
export const CurrentDevice = createParamDecorator((_: unknown, context: ExecutionContext): DevicePrincipal =>
  principalOf(context, 'device'),
);

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { DevicePrincipal, Principal, TokenPrincipal } from './principal';

function getPrincipal<K extends Principal['kind']>(context: ExecutionContext, kind: K) {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (principal?.kind !== kind) throw new Error(`The route's policy does not guarantee a ${kind} principal.`);
  return principal as Extract<Principal, { kind: K }>;
}

/** Injects the caller of a handler that a `@ControlController` serves as well: a token, or an account device. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (!principal) throw new Error("The route's policy does not guarantee a principal.");
  return principal;
});

/** Injects the External API caller on a `@RequireScopes` route. */
export const CurrentToken = createParamDecorator((_: unknown, context: ExecutionContext): TokenPrincipal =>
  getPrincipal(context, 'token'),
);

/** Injects the signed-in device on a `@DeviceOnly` or `@BrowserOnly` route. */
export const CurrentDevice = createParamDecorator((_: unknown, context: ExecutionContext): DevicePrincipal =>
  getPrincipal(context, 'device'),
);

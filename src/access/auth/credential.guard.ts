import { ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, type AuthGuardAuthenticateOptions } from '@nestjs/passport';
import type { Request } from 'express';
import { ApiError } from '../../common/errors';
import { routeOperationId } from '../../common/http';
import { getRequestContext, type RequestActor } from '../../common/request-context';
import { csrfTokenRequired, invalidToken, missingToken } from './auth.errors';
import { parseBearerToken, type BearerOptions } from './bearer.strategy';
import { CsrfTokenService } from './csrf-token.service';
import { requireDevicePermission } from './device-permissions';
import { getLoginId, LoginCookie } from './login-cookie';
import type { DevicePrincipal, Principal } from './principal';
import { acceptsBrowserCalls, routePolicy, type RoutePolicy } from './route-policy';
import { rejectCrossSiteRequest } from './same-site';
import { AuthenticationFailureRecorder } from './token-verifier';
import { TokenVerifierRegistry } from './token-verifier-registry';

/**
 * Authenticates the caller, before all guards that read the principal. Fails closed: a handler without a policy is an
 * internal error. `BearerStrategy` authenticates tokens in the Authorization header. Console pages accept the login
 * cookie only. Routes that the console's scripts call accept a device token, or the cookie together with a CSRF token.
 */
@Injectable()
export class CredentialGuard extends AuthGuard('bearer') {
  constructor(
    private readonly authenticationFailureRecorder: AuthenticationFailureRecorder,
    private readonly loginCookie: LoginCookie,
    private readonly csrfTokens: CsrfTokenService,
    private readonly tokenVerifiers: TokenVerifierRegistry,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const policy = routePolicy.get(context);
    if (!policy) throw new Error(`No policy on ${request.method} ${request.path}`);
    if (policy.kind === 'public' || policy.kind === 'client') return true;
    request.operationId = routeOperationId.get(context);
    const cookieToken = this.readLoginToken(request, policy);
    // A browser that is not signed in presented no credential, so this does not count as a failure.
    if (policy.kind === 'browser' && cookieToken === null) throw missingToken();
    const checkedAt = performance.now();
    try {
      if (cookieToken === null) await super.canActivate(context);
      else await this.authenticateLogin(request, cookieToken, policy);
      const token = cookieToken ?? parseBearerToken(request.headers.authorization!)!;
      request.credential = { token, audience: getAudience(policy), checkedAt };
      const requestContext = getRequestContext();
      if (requestContext) requestContext.actor = toRequestActor(request.principal!, cookieToken !== null);
      // Machines could use up the buckets of the account otherwise, and with them the calls that stop their agents.
      if (policy.kind === 'control') requireDevicePermission(request.principal as DevicePrincipal, policy.permission);
      return true;
    } catch (error) {
      // 400: more than one Authorization header.
      if (error instanceof ApiError && (error.status === 401 || error.status === 400)) {
        await this.authenticationFailureRecorder.recordFailure(request.ip ?? '');
      }
      throw error;
    }
  }

  override getAuthenticateOptions(context: ExecutionContext): AuthGuardAuthenticateOptions & BearerOptions {
    return { property: 'principal', audience: getAudience(routePolicy.get(context)!) };
  }

  /** Returns the token of the cookie if the request authenticates by it: with a header, the cookie does not count. */
  private readLoginToken(request: Request, policy: RoutePolicy): string | null {
    const hasHeader = request.headers.authorization !== undefined;
    const acceptsCookie = policy.kind === 'browser' || (acceptsBrowserCalls(policy) && !hasHeader);
    return acceptsCookie ? this.loginCookie.readToken(request) : null;
  }

  private async authenticateLogin(request: Request, cookieToken: string, policy: RoutePolicy): Promise<void> {
    const verification = await this.tokenVerifiers.verifyCallToken(cookieToken, 'device');
    if (!verification.ok) throw invalidToken(verification.reason);
    if (acceptsBrowserCalls(policy)) this.verifyCsrfToken(request, verification.principal as DevicePrincipal);
    request.principal = verification.principal;
  }

  /**
   * Verifies the CSRF token, for reads too, because they consume from the account's buckets.
   * @throws ApiError 403 `forbidden`
   */
  private verifyCsrfToken(request: Request, device: DevicePrincipal): void {
    rejectCrossSiteRequest(request);
    const token = request.headers['x-csrf-token'];
    if (typeof token !== 'string' || !this.csrfTokens.isValidToken(token, getLoginId(device)))
      throw csrfTokenRequired();
  }
}

const getAudience = ({ kind }: RoutePolicy): BearerOptions['audience'] => (kind === 'token' ? 'token' : 'device');

function toRequestActor(principal: Principal, isLogin: boolean): RequestActor {
  if (principal.kind === 'device') return { kind: isLogin ? 'browser' : 'device', id: principal.deviceId };
  return principal.appId === null ? { kind: 'token', id: principal.tokenId } : { kind: 'app', id: principal.appId };
}

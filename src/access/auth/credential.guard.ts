import { ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, type AuthGuardAuthenticateOptions } from '@nestjs/passport';
import type { Request } from 'express';
import { ApiError } from '../../common/errors';
import { getOperationId } from '../../common/http';
import { invalidToken, missingToken } from './auth.errors';
import type { BearerOptions } from './bearer.strategy';
import { getRoutePolicy } from './route-policy';
import { LoginCookie } from './login-cookie';
import { AuthenticationFailureRecorder } from './token-verifier';
import { TokenVerifierRegistry } from './token-verifier-registry';

/**
 * Authenticates the caller, before all guards that read the principal. Fails closed: a handler without a policy is an
 * internal error. `BearerStrategy` authenticates tokens in the Authorization header. Console pages accept the login
 * cookie only.
 */
@Injectable()
export class CredentialGuard extends AuthGuard('bearer') {
  constructor(
    private readonly authenticationFailureRecorder: AuthenticationFailureRecorder,
    private readonly loginCookie: LoginCookie,
    private readonly tokenVerifiers: TokenVerifierRegistry,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const policy = getRoutePolicy(context.getHandler());
    if (!policy) throw new Error(`No policy on ${context.getClass().name}.${context.getHandler().name}`);
    if (policy.kind === 'public' || policy.kind === 'client') return true;
    request.operationId = getOperationId(context.getHandler());
    const cookieToken = policy.kind === 'browser' ? this.loginCookie.readToken(request) : null;
    // A browser that is not signed in presented no credential, so this does not count as a failure.
    if (policy.kind === 'browser' && cookieToken === null) throw missingToken();
    try {
      if (cookieToken !== null) await this.authenticateLogin(request, cookieToken);
      else await super.canActivate(context);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        await this.authenticationFailureRecorder.recordFailure(request.ip ?? '');
      }
      throw error;
    }
  }

  override getAuthenticateOptions(context: ExecutionContext): AuthGuardAuthenticateOptions & BearerOptions {
    const policy = getRoutePolicy(context.getHandler());
    return { property: 'principal', audience: policy?.kind === 'token' ? 'token' : 'device' };
  }

  private async authenticateLogin(request: Request, cookieToken: string): Promise<void> {
    const verification = await this.tokenVerifiers.verifyCallToken(cookieToken, 'device');
    if (!verification.ok) throw invalidToken(verification.reason);
    request.principal = verification.principal;
  }
}

import { ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { ApiError } from '../common/errors';
import { operationIdOf } from '../common/http';
import { invalidToken, missingToken } from './auth.errors';
import type { BearerResult } from './bearer.strategy';
import { policyOf } from './policy';
import type { Principal } from './principal';
import { SessionCookie } from './session-cookie';
import { FailedAttempts } from './token-verifier';
import { TokenVerifiers } from './token-verifiers';

/**
 * First of the guards: who calls. Fails closed: a handler without a policy is an internal error, not an open door.
 * The credential is taken from the Authorization header alone (RFC 6750 §2.1), never from query or body; on pages
 * from the session cookie alone.
 */
@Injectable()
export class CredentialGuard extends AuthGuard('bearer') {
  constructor(
    private readonly failedAttempts: FailedAttempts,
    private readonly sessionCookie: SessionCookie,
    private readonly verifiers: TokenVerifiers,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const policy = policyOf(context.getHandler());
    if (!policy) throw new Error(`No policy on ${context.getClass().name}.${context.getHandler().name}`);
    if (policy.kind === 'public' || policy.kind === 'client') return true;
    request.operationId = operationIdOf(context.getHandler());
    // A browser that is not signed in has not failed at anything.
    if (policy.kind === 'session' && this.sessionCookie.read(request) === null) throw missingToken();
    try {
      if (policy.kind === 'session') request.principal = await this.holderOfCookie(request);
      else await this.passBearer(context, request, policy.kind);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        await this.failedAttempts.record(request.ip ?? '');
      }
      throw error;
    }
  }

  private async passBearer(context: ExecutionContext, request: Request, kind: 'token' | 'device'): Promise<void> {
    request.takesTokenOf = kind;
    if (!/^bearer(\s|$)/i.test(request.headers.authorization ?? '')) throw missingToken();
    await super.canActivate(context);
  }

  private async holderOfCookie(request: Request): Promise<Principal> {
    const verification = await this.verifiers.verifyCall(this.sessionCookie.read(request)!, 'device');
    if (!verification.ok) throw invalidToken(verification.reason);
    return verification.principal;
  }

  override handleRequest<User>(
    error: unknown,
    result: BearerResult | false,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    if (error instanceof Error) throw error;
    if (!result) throw invalidToken('malformed');
    if ('refused' in result) throw invalidToken(result.refused);
    context.switchToHttp().getRequest<Request>().principal = result.principal;
    return result.principal as User;
  }
}

import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { invalidToken } from './auth.errors';
import { PermissionGuard } from './permission.guard';
import type { TokenVerifier } from './token-verifier';
import { TokenVerifierRegistry } from './token-verifier-registry';

/** How old a check of the credential may be when the handler begins. */
const MAX_AGE_MS = 500;

/** Credential of a request, as `CredentialGuard` has accepted it. */
export interface AcceptedCredential {
  token: string;
  audience: TokenVerifier['audience'];
  /** `performance.now()` before the check. */
  checkedAt: number;
}

/**
 * Checks the caller again if the body took long to arrive. Otherwise somebody could keep requests open, and finish them
 * with a credential that was revoked meanwhile. Runs after the body was read.
 */
@Injectable()
export class HeldRequestGuard implements CanActivate {
  constructor(
    private readonly tokenVerifiers: TokenVerifierRegistry,
    private readonly permissionGuard: PermissionGuard,
  ) {}

  /** @throws ApiError 401 `invalid_token`, 403 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const { credential } = request;
    if (!credential || performance.now() - credential.checkedAt < MAX_AGE_MS) return true;
    const verification = await this.tokenVerifiers.verifyCallToken(credential.token, credential.audience, request.ip);
    if (!verification.ok) throw invalidToken(verification.reason);
    request.principal = verification.principal;
    return this.permissionGuard.canActivate(context);
  }
}

declare module 'express-serve-static-core' {
  interface Request {
    credential?: AcceptedCredential;
  }
}

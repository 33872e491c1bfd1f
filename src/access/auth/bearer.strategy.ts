import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-http-bearer';
import { isRepeatedHeader } from '../../common/http';
import type { ApiError } from '../../common/errors';
import { invalidToken, missingToken, repeatedAuthorization } from './auth.errors';
import type { Principal } from './principal';
import type { TokenVerifier } from './token-verifier';
import { TokenVerifierRegistry } from './token-verifier-registry';

/** Options of `CredentialGuard` for one call. */
export interface BearerOptions {
  /** Kind of tokens that the route accepts. */
  audience: TokenVerifier['audience'];
}

type BearerRequest = Pick<Request, 'headers' | 'ip'> & BearerOptions;

/** Returns the token of an `Authorization` header, which one or more spaces precede (RFC 6750 §2.1), or null. */
export function parseBearerToken(authorization: string): string | null {
  return /^bearer +([^ ]+)$/i.exec(authorization)?.[1] ?? null;
}

/** Authenticates bearer tokens (RFC 6750), by `passport-http-bearer`. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  /** Fails the authentication with an error. Passport sets it for each call. */
  declare readonly error: (error: ApiError) => void;

  constructor(private readonly tokenVerifiers: TokenVerifierRegistry) {
    super({ passReqToCallback: true });
  }

  /**
   * Hands only the header to `passport-http-bearer`, which would also accept tokens in query and body. A token belongs
   * in the header alone (RFC 6750 §2.1).
   */
  override authenticate(request: Request, { audience }: BearerOptions): void {
    const { authorization = '' } = request.headers;
    if (isRepeatedHeader(request, 'authorization')) return this.error(repeatedAuthorization());
    if (!/^bearer(\s|$)/i.test(authorization)) return this.error(missingToken());
    const token = parseBearerToken(authorization);
    if (token === null) return this.error(invalidToken('malformed'));
    const headers = { authorization: `Bearer ${token}` };
    const bearerRequest: BearerRequest = { headers, ip: request.ip, audience };
    super.authenticate(bearerRequest as unknown as Request);
  }

  /** @throws ApiError 401 `invalid_token` */
  async validate({ audience, ip }: BearerRequest, token: string): Promise<Principal> {
    const verification = await this.tokenVerifiers.verifyCallToken(token, audience, ip);
    if (!verification.ok) throw invalidToken(verification.reason);
    return verification.principal;
  }
}

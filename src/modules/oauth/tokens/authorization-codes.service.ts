import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../../../access/auth';
import { Clock, SECOND } from '../../../common/clock';
import { hashSecretToken } from '../../../common/secret-token';
import { AuthorizationCodesRepository } from './authorization-codes.repository';

const CODE_LIFETIME_MS = 60 * SECOND;

/** Values bound to a code, beside the authorization (RFC 6749 §4.1.2, RFC 7636 §4.4). */
export interface AuthorizationCodeBinding {
  redirect_uri: string;
  scopes: Scope[];
  code_challenge: string;
}

/** Issues authorization codes. A code is valid for a minute and can be used once. */
@Injectable()
export class AuthorizationCodesService {
  constructor(
    private readonly codes: AuthorizationCodesRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns null when the authorization was revoked meanwhile. */
  async issueCode(authorizationId: string, binding: AuthorizationCodeBinding): Promise<string | null> {
    const code = randomBytes(32).toString('base64url');
    const isInserted = await this.codes.insert({
      hash: hashSecretToken(code),
      authorizationId,
      redirectUri: binding.redirect_uri,
      scopes: binding.scopes,
      codeChallenge: binding.code_challenge,
      expiresAt: new Date(this.clock.now() + CODE_LIFETIME_MS),
    });
    return isInserted ? code : null;
  }
}

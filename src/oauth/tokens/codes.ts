import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import { Clock, SECOND } from '../../common/clock';
import { hashToken } from '../../common/secret-token';
import { CodesRepository } from './codes.repository';

const LIFETIME_MS = 60 * SECOND;

/** What a code is bound to beside the authorization (RFC 6749 §4.1.2, RFC 7636 §4.4). */
export interface CodeBinding {
  redirect_uri: string;
  scopes: Scope[];
  code_challenge: string;
}

/** Authorization codes: good for a minute and one use. */
@Injectable()
export class Codes {
  constructor(
    private readonly codes: CodesRepository,
    private readonly clock: Clock,
  ) {}

  /** Null when the authorization has ended meanwhile. */
  async issue(authorizationId: string, binding: CodeBinding): Promise<string | null> {
    const code = randomBytes(32).toString('base64url');
    const issued = await this.codes.insert({
      hash: hashToken(code),
      authorizationId,
      redirectUri: binding.redirect_uri,
      scopes: binding.scopes,
      codeChallenge: binding.code_challenge,
      expiresAt: new Date(this.clock.now() + LIFETIME_MS),
    });
    return issued ? code : null;
  }
}

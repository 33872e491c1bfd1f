import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { Clock, HOUR, SECOND } from '../../common/clock';
import type { PushConfig } from '../../core/config';

/** RFC 8292 §2 allows 24 hours. */
const TOKEN_LIFETIME_MS = 12 * HOUR;
/** A message that waits in a queue must not arrive with an expired token. */
const RENEWED_BEFORE_MS = HOUR;

/** Authenticates the service to push services (RFC 8292). A token is used for all messages to the same one. */
@Injectable()
export class VapidSigner {
  private readonly tokens = new Map<string, { token: string; expiresAt: number }>();

  constructor(private readonly clock: Clock) {}

  /** Returns the Authorization header of a request to the endpoint. */
  async buildAuthorization({ privateKey, publicKey, subject }: PushConfig, endpoint: string): Promise<string> {
    const { origin } = new URL(endpoint);
    this.removeEndingTokens();
    let signed = this.tokens.get(origin);
    if (!signed) {
      const expiresAt = this.clock.now() + TOKEN_LIFETIME_MS;
      const token = await new SignJWT({ aud: origin, exp: Math.floor(expiresAt / SECOND), sub: subject })
        .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
        .sign(privateKey);
      signed = { token, expiresAt };
      this.tokens.set(origin, signed);
    }
    return `vapid t=${signed.token}, k=${publicKey}`;
  }

  /** They are in the order of their expiry. Push services give names of their own to groups of browsers. */
  private removeEndingTokens(): void {
    for (const [origin, { expiresAt }] of this.tokens) {
      if (expiresAt - this.clock.now() >= RENEWED_BEFORE_MS) return;
      this.tokens.delete(origin);
    }
  }
}

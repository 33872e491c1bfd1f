import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, MINUTE } from '../../common/clock';
import { Config, KeyRing } from '../../config';
import { UnitOfWork } from '../../persistence';
import { thumbprint, type ChallengeOut, type EncryptionKey, type SigningKey } from '../../wire';
import { isSignedBy } from './okp-key';

const LIFETIME_MS = 2 * MINUTE;

/** The keys that a signature vouches for. */
export interface ChallengedKeys {
  publicKey: SigningKey;
  encryptionKey?: EncryptionKey;
}

export type ChallengeFault = 'invalid_challenge' | 'expired_challenge' | 'invalid_signature';

/**
 * Challenges carry their own expiry and a MAC, so that asking for one writes nothing; only a used one is kept,
 * until it would have expired.
 */
@Injectable()
export class Challenges {
  constructor(
    private readonly config: Config,
    private readonly keyRing: KeyRing,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  issue(keys: ChallengedKeys): ChallengeOut {
    const expiresAt = this.clock.now() + LIFETIME_MS;
    const body = `${expiresAt}.${randomBytes(24).toString('base64url')}`;
    const challenge = `${body}.${mac(this.keyRing.keys('challenge')[0], body, keys)}`;
    return { challenge, message: this.message(challenge, keys), expiresAt };
  }

  /** Uses the challenge up, in the caller's transaction; null when challenge and signature are good. */
  async redeem(challenge: string, signature: string, keys: ChallengedKeys): Promise<ChallengeFault | null> {
    const [expiry, nonce, seal, ...more] = challenge.split('.');
    const body = `${expiry}.${nonce}`;
    // With more behind its MAC the same challenge would be another one, and could be used again.
    const genuine =
      more.length === 0 && this.keyRing.keys('challenge').some((key) => isEqual(mac(key, body, keys), seal ?? ''));
    if (!genuine) return 'invalid_challenge';
    if (Number(expiry) <= this.clock.now()) return 'expired_challenge';
    if (!isSignedBy(keys.publicKey, this.message(challenge, keys), signature)) return 'invalid_signature';
    const rows = await this.unitOfWork.query(
      `INSERT INTO used_challenges (hash, expires_at) VALUES (sha256($1::bytea), $2)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [Buffer.from(challenge), new Date(Number(expiry))],
    );
    return rows.length === 1 ? null : 'invalid_challenge';
  }

  /** Names host, challenge and keys: worthless elsewhere, and it vouches for both keys. */
  private message(challenge: string, { publicKey, encryptionKey }: ChallengedKeys): string {
    const lines = [
      'External API device signature',
      `host: ${this.config.publicUrl}`,
      `challenge: ${challenge}`,
      `public key: ${thumbprint(publicKey)}`,
    ];
    if (encryptionKey) lines.push(`encryption key: ${thumbprint(encryptionKey)}`);
    return lines.join('\n');
  }
}

function mac(key: KeyObject, body: string, { publicKey, encryptionKey }: ChallengedKeys): string {
  const keys = `${thumbprint(publicKey)}.${encryptionKey ? thumbprint(encryptionKey) : ''}`;
  return createHmac('sha256', key).update(`${body}.${keys}`).digest('base64url');
}

function isEqual(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

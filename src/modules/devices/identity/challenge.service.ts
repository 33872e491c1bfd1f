import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { computeThumbprint, type ChallengeResponse, type EncryptionKey, type SigningKey } from '@external-api/protocol';
import { Clock, MINUTE } from '../../../common/clock';
import { computeMac, verifyMac } from '../../../common/mac';
import { Config, DerivedKeyProvider } from '../../../core/config';
import { isSignedBy } from './okp-key';
import { UsedChallengesRepository } from './used-challenges.repository';

const CHALLENGE_LIFETIME_MS = 2 * MINUTE;

/** Keys whose possession a signature proves. */
export interface ChallengedKeys {
  publicKey: SigningKey;
  encryptionKey?: EncryptionKey;
}

export type ChallengeErrorCode = 'invalid_challenge' | 'expired_challenge' | 'invalid_signature';

/**
 * Issues and redeems challenges. A challenge contains its expiry and a MAC, so issuing one writes nothing. Only used
 * challenges are stored, until they expire.
 */
@Injectable()
export class ChallengeService {
  constructor(
    private readonly config: Config,
    private readonly derivedKeyProvider: DerivedKeyProvider,
    private readonly usedChallenges: UsedChallengesRepository,
    private readonly clock: Clock,
  ) {}

  issueChallenge(keys: ChallengedKeys): ChallengeResponse {
    const expiresAt = this.clock.now() + CHALLENGE_LIFETIME_MS;
    const body = `${expiresAt}.${randomBytes(24).toString('base64url')}`;
    const [key] = this.derivedKeyProvider.getKeys('challenge');
    const challenge = `${body}.${computeMac(key, bindToKeys(body, keys))}`;
    return { challenge, message: this.buildMessage(challenge, keys), expiresAt };
  }

  /** Redeems the challenge in the caller's transaction. Returns null when challenge and signature are valid. */
  async redeemChallenge(
    challenge: string,
    signature: string,
    keys: ChallengedKeys,
  ): Promise<ChallengeErrorCode | null> {
    const [expiry, nonce, givenMac, ...rest] = challenge.split('.');
    const body = `${expiry}.${nonce}`;
    // If trailing parts were accepted, the same challenge could be redeemed again under a different text.
    const isGenuine =
      rest.length === 0 &&
      verifyMac(this.derivedKeyProvider.getKeys('challenge'), bindToKeys(body, keys), givenMac ?? '');
    if (!isGenuine) return 'invalid_challenge';
    if (Number(expiry) <= this.clock.now()) return 'expired_challenge';
    if (!isSignedBy(keys.publicKey, this.buildMessage(challenge, keys), signature)) return 'invalid_signature';
    const isFirstUse = await this.usedChallenges.insert(challenge, new Date(Number(expiry)));
    return isFirstUse ? null : 'invalid_challenge';
  }

  /** Binds the signature to host, challenge and both keys, so that it cannot be used elsewhere. */
  private buildMessage(challenge: string, { publicKey, encryptionKey }: ChallengedKeys): string {
    const lines = [
      'External API device signature',
      `host: ${this.config.publicUrl}`,
      `challenge: ${challenge}`,
      `public key: ${computeThumbprint(publicKey)}`,
    ];
    if (encryptionKey) lines.push(`encryption key: ${computeThumbprint(encryptionKey)}`);
    return lines.join('\n');
  }
}

/** Returns what the MAC of a challenge authenticates. */
function bindToKeys(body: string, { publicKey, encryptionKey }: ChallengedKeys): string {
  return `${body}.${computeThumbprint(publicKey)}.${encryptionKey ? computeThumbprint(encryptionKey) : ''}`;
}

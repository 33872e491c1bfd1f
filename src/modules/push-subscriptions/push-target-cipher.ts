import { Injectable } from '@nestjs/common';
import { decryptAesGcm, encryptAesGcm } from '../../common/aes-gcm';
import { DerivedKeyProvider } from '../../core/config';

const KEY_PURPOSE = 'push-subscription';

/** Where the messages of a browser are sent, and what encrypts them. It is secret, as the token of a client is. */
export interface PushTarget {
  endpoint: string;
  /** Uncompressed point on P-256, base64url. */
  p256dh: string;
  /** 16 bytes, base64url. */
  auth: string;
}

/** Encrypts targets at rest with a key derived from APP_SECRET, bound to their subscription. */
@Injectable()
export class PushTargetCipher {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  encryptTarget({ endpoint, p256dh, auth }: PushTarget, subscriptionId: string): Buffer {
    const [key] = this.derivedKeyProvider.getKeys(KEY_PURPOSE);
    return encryptAesGcm(key, Buffer.from(JSON.stringify({ endpoint, p256dh, auth })), Buffer.from(subscriptionId));
  }

  /** Returns null when no configured APP_SECRET decrypts it. */
  decryptTarget(encrypted: Buffer, subscriptionId: string): PushTarget | null {
    for (const key of this.derivedKeyProvider.getKeys(KEY_PURPOSE)) {
      const text = decryptAesGcm(key, encrypted, Buffer.from(subscriptionId));
      if (text) return JSON.parse(text.toString()) as PushTarget;
    }
    return null;
  }
}

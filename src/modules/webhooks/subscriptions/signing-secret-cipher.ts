import { createHash, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { decryptAesGcm, encryptAesGcm } from '../../../common/aes-gcm';
import { DerivedKeyProvider } from '../../../core/config';

const KEY_ID_BYTES = 8;

/**
 * Encrypts signing keys at rest. The ciphertext names its key, derived from APP_SECRET, and is bound to the webhook id.
 */
@Injectable()
export class SigningSecretCipher {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  encryptKey(signingKey: Buffer, webhookId: string): Buffer {
    const [key] = this.derivedKeyProvider.getKeys('webhook-secret');
    return Buffer.concat([toKeyId(key), encryptAesGcm(key, signingKey, Buffer.from(webhookId))]);
  }

  /** Returns whether the first APP_SECRET encrypted it. */
  isEncryptedWithNewestKey(encrypted: Buffer): boolean {
    const [key] = this.derivedKeyProvider.getKeys('webhook-secret');
    return encrypted.subarray(0, KEY_ID_BYTES).equals(toKeyId(key));
  }

  /** Returns null when no configured APP_SECRET decrypts it for this webhook. */
  decryptKey(encrypted: Buffer, webhookId: string): Buffer | null {
    const keyId = encrypted.subarray(0, KEY_ID_BYTES);
    const key = this.derivedKeyProvider.getKeys('webhook-secret').find((each) => toKeyId(each).equals(keyId));
    return key ? decryptAesGcm(key, encrypted.subarray(KEY_ID_BYTES), Buffer.from(webhookId)) : null;
  }
}

function toKeyId(key: KeyObject): Buffer {
  return createHash('sha256').update(key.export()).digest().subarray(0, KEY_ID_BYTES);
}

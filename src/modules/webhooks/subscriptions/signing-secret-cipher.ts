import { createHash, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { decryptAesGcm, encryptAesGcm } from '../../../common/aes-gcm';
import { DerivedKeyProvider } from '../../../core/config';
import type { CustomHeaders } from './custom-headers';

const KEY_ID_BYTES = 8;

/**
 * Encrypts signing keys and custom headers at rest. The ciphertext names its key, derived from APP_SECRET, and is bound
 * to the webhook id, that of headers also to being headers.
 */
@Injectable()
export class SigningSecretCipher {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  encryptKey(signingKey: Buffer, webhookId: string): Buffer {
    const [key] = this.derivedKeyProvider.getKeys('webhook-secret');
    return Buffer.concat([toKeyId(key), encryptAesGcm(key, signingKey, Buffer.from(webhookId))]);
  }

  /** Returns null without headers. */
  encryptHeaders(headers: CustomHeaders, webhookId: string): Buffer | null {
    if (Object.keys(headers).length === 0) return null;
    return this.encryptKey(Buffer.from(JSON.stringify(headers)), toHeadersContext(webhookId));
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

  /** Returns null when no configured APP_SECRET decrypts them for this webhook. */
  decryptHeaders(encrypted: Buffer | null, webhookId: string): CustomHeaders | null {
    if (!encrypted) return {};
    const json = this.decryptKey(encrypted, toHeadersContext(webhookId));
    return json && (JSON.parse(json.toString()) as CustomHeaders);
  }
}

const toHeadersContext = (webhookId: string) => `${webhookId}/headers`;

function toKeyId(key: KeyObject): Buffer {
  return createHash('sha256').update(key.export()).digest().subarray(0, KEY_ID_BYTES);
}

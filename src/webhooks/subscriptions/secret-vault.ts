import { createHash, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { openBox, sealBox } from '../../common/sealed-box';
import { KeyRing } from '../../config';

const KEY_ID_BYTES = 8;

/** Signing keys at rest: sealed under a key from APP_SECRET that they name, and bound to their webhook. */
@Injectable()
export class SecretVault {
  constructor(private readonly keyRing: KeyRing) {}

  seal(signingKey: Buffer, webhookId: string): Buffer {
    const [key] = this.keyRing.keys('webhook-secret');
    return Buffer.concat([idOf(key), sealBox(key, signingKey, Buffer.from(webhookId))]);
  }

  /** Whether the first APP_SECRET sealed it. */
  isNewest(sealed: Buffer): boolean {
    const [key] = this.keyRing.keys('webhook-secret');
    return sealed.subarray(0, KEY_ID_BYTES).equals(idOf(key));
  }

  /** Null when no present APP_SECRET sealed it, or not for this webhook. */
  open(sealed: Buffer, webhookId: string): Buffer | null {
    const keyId = sealed.subarray(0, KEY_ID_BYTES);
    const key = this.keyRing.keys('webhook-secret').find((each) => idOf(each).equals(keyId));
    return key ? openBox(key, sealed.subarray(KEY_ID_BYTES), Buffer.from(webhookId)) : null;
  }
}

function idOf(key: KeyObject): Buffer {
  return createHash('sha256').update(key.export()).digest().subarray(0, KEY_ID_BYTES);
}

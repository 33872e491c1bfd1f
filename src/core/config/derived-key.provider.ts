import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from './config';

/**
 * Derives a key per purpose from APP_SECRET by HKDF-SHA-256, so that no two uses share a key. Returns key objects,
 * because Node 24 converts raw bytes to one at each use, which takes longer than the cryptographic operation.
 */
@Injectable()
export class DerivedKeyProvider {
  private readonly keysByPurpose = new Map<string, KeyObject[]>();

  constructor(private readonly config: Config) {}

  /** Returns the 32-byte keys for this purpose, newest first: the first encrypts and signs, all decrypt and verify. */
  getKeys(purpose: string): readonly [KeyObject, ...KeyObject[]] {
    let keys = this.keysByPurpose.get(purpose);
    if (!keys) {
      keys = this.config.appSecrets.map((secret) => deriveKey(secret, '', purpose));
      this.keysByPurpose.set(purpose, keys);
    }
    return keys as [KeyObject, ...KeyObject[]];
  }

  /** Returns keys as `getKeys` does, salted with a caller's secret. Does not cache them. */
  deriveSaltedKeys(purpose: string, salt: string): readonly [KeyObject, ...KeyObject[]] {
    return this.config.appSecrets.map((secret) => deriveKey(secret, salt, purpose)) as [KeyObject, ...KeyObject[]];
  }
}

function deriveKey(secret: string, salt: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, salt, `external-api/${purpose}`, 32)));
}

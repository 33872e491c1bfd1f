import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from './config';

/**
 * Keys derived from APP_SECRET by HKDF-SHA-256, one per purpose, so that no two uses share a key. Key objects, because Node 24
 * makes one of bytes at every use, which takes longer than to sign or seal with it.
 */
@Injectable()
export class KeyRing {
  private readonly cache = new Map<string, KeyObject[]>();

  constructor(private readonly config: Config) {}

  /** 32-byte keys for this purpose, the newest first: the first seals, all open. */
  keys(purpose: string): readonly [KeyObject, ...KeyObject[]] {
    let keys = this.cache.get(purpose);
    if (!keys) {
      keys = this.config.appSecrets.map((secret) => derive(secret, '', purpose));
      this.cache.set(purpose, keys);
    }
    return keys as [KeyObject, ...KeyObject[]];
  }

  /** As `keys`, bound to a caller's own secret as well; not kept. */
  keysWith(purpose: string, salt: string): readonly [KeyObject, ...KeyObject[]] {
    return this.config.appSecrets.map((secret) => derive(secret, salt, purpose)) as [KeyObject, ...KeyObject[]];
  }
}

function derive(secret: string, salt: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, salt, `external-api/${purpose}`, 32)));
}

import { hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from './config';

/** Keys derived from APP_SECRET by HKDF-SHA-256, one per purpose, so that no two uses share a key. */
@Injectable()
export class KeyRing {
  private readonly cache = new Map<string, Buffer[]>();

  constructor(private readonly config: Config) {}

  /** 32-byte keys for this purpose, the newest first: the first seals, all open. */
  keys(purpose: string): readonly [Buffer, ...Buffer[]] {
    let keys = this.cache.get(purpose);
    if (!keys) {
      keys = this.config.appSecrets.map((secret) => derive(secret, '', purpose));
      this.cache.set(purpose, keys);
    }
    return keys as [Buffer, ...Buffer[]];
  }

  /** As `keys`, bound to a caller's own secret as well; not kept. */
  keysWith(purpose: string, salt: string): readonly [Buffer, ...Buffer[]] {
    return this.config.appSecrets.map((secret) => derive(secret, salt, purpose)) as [Buffer, ...Buffer[]];
  }
}

function derive(secret: string, salt: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `external-api/${purpose}`, 32));
}

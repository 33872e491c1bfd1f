import { hkdfSync } from 'node:crypto';
import type { HttpClient } from '../http-client';
import { ForeignAccountDevice } from './foreign-device';
import { createForeignKeyPair, type ForeignKeyPair } from './keys';

/** Recovery key (docs/protocol/device-api.md#recovery), which derives both key pairs from 32 bytes. */
export class RecoveryDevice extends ForeignAccountDevice {
  override readonly signing: ForeignKeyPair;
  override readonly encryption: ForeignKeyPair;

  constructor(http: HttpClient, recoveryKey: Uint8Array) {
    super(http, 'recovery key');
    this.signing = createForeignKeyPair('Ed25519', deriveSeed(recoveryKey, 'sign'));
    this.encryption = createForeignKeyPair('X25519', deriveSeed(recoveryKey, 'encrypt'));
  }
}

function deriveSeed(recoveryKey: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', recoveryKey, new Uint8Array(), info, 32));
}

import { createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto';
import type { HttpClient } from '../http-client';
import { ForeignAccountDevice } from './foreign-device';
import type { ForeignKeyPair } from './keys';

/** PKCS #8 prefix of a 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = {
  Ed25519: '302e020100300506032b657004220420',
  X25519: '302e020100300506032b656e04220420',
};

/** Recovery key (docs/protocol/device-api.md#recovery), which derives both key pairs from 32 bytes. */
export class RecoveryDevice extends ForeignAccountDevice {
  override readonly signing: ForeignKeyPair;
  override readonly encryption: ForeignKeyPair;

  constructor(http: HttpClient, recoveryKey: Uint8Array) {
    super(http, 'recovery key');
    this.signing = createKeyPairFromSeed('Ed25519', deriveSeed(recoveryKey, 'sign'));
    this.encryption = createKeyPairFromSeed('X25519', deriveSeed(recoveryKey, 'encrypt'));
  }
}

function deriveSeed(recoveryKey: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', recoveryKey, new Uint8Array(), info, 32));
}

function createKeyPairFromSeed(crv: 'Ed25519' | 'X25519', bytes: Buffer): ForeignKeyPair {
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX[crv], 'hex'), bytes]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { publicKey: { kty: 'OKP', crv, x: x! }, privateKey };
}

import { createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto';
import type { HttpClient } from '../http-client';
import { AccountDevice } from './foreign-device';
import type { KeyPair } from './keys';

/** RFC 8410 §7: the PKCS #8 bytes before a 32-byte seed. */
const PKCS8_PREFIX = {
  Ed25519: '302e020100300506032b657004220420',
  X25519: '302e020100300506032b656e04220420',
};

/** The device on paper (device-api.md, Recovery): both key pairs come from 32 bytes. */
export class RecoveryDevice extends AccountDevice {
  override readonly signing: KeyPair;
  override readonly encryption: KeyPair;

  constructor(http: HttpClient, recoveryKey: Uint8Array) {
    super(http, 'recovery key');
    this.signing = keyPairFromSeed('Ed25519', seed(recoveryKey, 'sign'));
    this.encryption = keyPairFromSeed('X25519', seed(recoveryKey, 'encrypt'));
  }
}

function seed(recoveryKey: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', recoveryKey, new Uint8Array(), info, 32));
}

function keyPairFromSeed(crv: 'Ed25519' | 'X25519', bytes: Buffer): KeyPair {
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX[crv], 'hex'), bytes]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { publicKey: { kty: 'OKP', crv, x: x! }, privateKey };
}

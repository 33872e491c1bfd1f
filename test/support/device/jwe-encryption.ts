import { createCipheriv, createHash, createPublicKey, diffieHellman, randomBytes } from 'node:crypto';
import { encodeBase64urlJson, createForeignKeyPair, type ForeignJwk } from './keys';

/** Encrypts to a compact JWE with ECDH-ES+A256KW and A256GCM (RFC 7518 §4.6), with only node:crypto. */
export function sealToRecipient(recipient: ForeignJwk, payload: string): string {
  const ephemeral = createForeignKeyPair('X25519');
  const secret = diffieHellman({
    privateKey: ephemeral.privateKey,
    publicKey: createPublicKey({ key: { ...recipient }, format: 'jwk' }),
  });
  const contentKey = randomBytes(32);
  const wrap = createCipheriv('id-aes256-wrap', deriveConcatKdfKey(secret, 'ECDH-ES+A256KW'), Buffer.alloc(8, 0xa6));
  const encryptedKey = Buffer.concat([wrap.update(contentKey), wrap.final()]);
  const header = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: ephemeral.publicKey };
  return encryptJwe(header, encryptedKey, contentKey, payload);
}

/** Encrypts content with a data key, `alg: dir` (docs/protocol/encryption.md#content). */
export function encryptContentJwe(dataKey: Buffer, kid: string, svc: object, text: string): string {
  const header = { alg: 'dir', enc: 'A256GCM', kid, cty: 'application/json', svc };
  return encryptJwe(header, Buffer.alloc(0), dataKey, text);
}

function encryptJwe(header: object, encryptedKey: Buffer, key: Buffer, payload: string): string {
  const protectedHeader = encodeBase64urlJson(header);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(protectedHeader));
  const text = Buffer.concat([cipher.update(payload), cipher.final()]);
  const segments = [encryptedKey, iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [protectedHeader, ...segments].join('.');
}

/** Derives a 256-bit key (RFC 7518 §4.6.2) with empty party infos. */
export function deriveConcatKdfKey(secret: Buffer, algorithm: string): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  return createHash('sha256')
    .update(number(1))
    .update(secret)
    .update(Buffer.concat([number(algorithm.length), Buffer.from(algorithm)]))
    .update(number(0))
    .update(number(0))
    .update(number(256))
    .digest();
}

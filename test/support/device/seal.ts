import { createCipheriv, createHash, createPublicKey, diffieHellman, randomBytes } from 'node:crypto';
import { base64urlJson, newKeyPair, type Jwk } from './keys';

/** A compact JWE with ECDH-ES+A256KW and A256GCM (RFC 7518 §4.6), from node:crypto alone. */
export function sealTo(recipient: Jwk, payload: string): string {
  const ephemeral = newKeyPair('X25519');
  const secret = diffieHellman({
    privateKey: ephemeral.privateKey,
    publicKey: createPublicKey({ key: { ...recipient }, format: 'jwk' }),
  });
  const contentKey = randomBytes(32);
  const wrap = createCipheriv('id-aes256-wrap', concatKdf(secret, 'ECDH-ES+A256KW'), Buffer.alloc(8, 0xa6));
  const encryptedKey = Buffer.concat([wrap.update(contentKey), wrap.final()]);
  const header = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: ephemeral.publicKey };
  return encrypt(header, encryptedKey, contentKey, payload);
}

/** Content under a data key: `alg: dir` (encryption.md). */
export function encryptContent(dataKey: Buffer, kid: string, svc: object, text: string): string {
  const header = { alg: 'dir', enc: 'A256GCM', kid, cty: 'application/json', svc };
  return encrypt(header, Buffer.alloc(0), dataKey, text);
}

function encrypt(header: object, encryptedKey: Buffer, key: Buffer, payload: string): string {
  const protectedHeader = base64urlJson(header);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(protectedHeader));
  const text = Buffer.concat([cipher.update(payload), cipher.final()]);
  const parts = [encryptedKey, iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [protectedHeader, ...parts].join('.');
}

/** RFC 7518 §4.6.2 with empty party infos, for a 256-bit key. */
export function concatKdf(secret: Buffer, algorithm: string): Buffer {
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

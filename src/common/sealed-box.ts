import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D): nonce, tag and ciphertext in one.
 * @param place bound in as associated data, so that a box opens nowhere else
 */
export function sealBox(key: KeyObject, content: Buffer, place: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(place);
  const text = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Null for what this key did not seal for this place. */
export function openBox(key: KeyObject, box: Buffer, place: Buffer): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(place)
      .setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

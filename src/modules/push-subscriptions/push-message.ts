import { createCipheriv, createECDH, ECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { PushTarget } from './push-target-cipher';

const CURVE = 'prime256v1';
const RECORD_SIZE = 4_096;
/** Length of every padded message, so that its size doesn't tell which event it is about. */
const PADDED_LENGTH = 256;
/** RFC 8188 §2: ends the last record. */
const LAST_RECORD_DELIMITER = 2;

/** Whether the text is a point on P-256, to which a message can be encrypted. */
export function isPublicKey(p256dh: string): boolean {
  try {
    return ECDH.convertKey(p256dh, CURVE, 'base64url', undefined, 'uncompressed').length === 65;
  } catch {
    return false;
  }
}

/**
 * Encrypts a message to a browser (RFC 8291) as one record with the content coding `aes128gcm` (RFC 8188).
 * @param salt 16 random bytes
 * @param sender key pair of this message alone
 */
export function encryptPushMessage(
  text: string,
  { p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>,
  { salt = randomBytes(16), sender = generateSender(), paddedLength = PADDED_LENGTH } = {},
): Buffer {
  const receiverKey = Buffer.from(p256dh, 'base64url');
  const senderKey = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey]);
  const inputKey = deriveKey(sender.computeSecret(receiverKey), Buffer.from(auth, 'base64url'), info, 32);
  const contentKey = deriveKey(inputKey, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = deriveKey(inputKey, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const header = Buffer.alloc(21);
  salt.copy(header);
  header.writeUInt32BE(RECORD_SIZE, 16);
  header.writeUInt8(senderKey.length, 20);
  const padding = Buffer.alloc(Math.max(0, paddedLength - Buffer.byteLength(text)));
  const record = Buffer.concat([Buffer.from(text), Buffer.of(LAST_RECORD_DELIMITER), padding]);
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  return Buffer.concat([header, senderKey, cipher.update(record), cipher.final(), cipher.getAuthTag()]);
}

function generateSender(): ECDH {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return sender;
}

function deriveKey(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, length));
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '../config';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An answer as it is sent again: status and JSON body. */
export interface StoredAnswer {
  status: number;
  body: object;
  headers: Record<string, string>;
}

/**
 * Seals answers with AES-256-GCM under a key from APP_SECRET and the caller's Idempotency-Key together: a copy of
 * the database opens none of them, and neither does the service without the caller.
 */
@Injectable()
export class AnswerVault {
  constructor(private readonly keyRing: KeyRing) {}

  seal(answer: StoredAnswer, idempotencyKey: string, id: Buffer): Buffer {
    const [key] = this.keyRing.keysWith('idempotency', idempotencyKey);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(id);
    const text = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]);
  }

  /** Null when no present APP_SECRET sealed it. */
  open(sealed: Buffer, idempotencyKey: string, id: Buffer): StoredAnswer | null {
    for (const key of this.keyRing.keysWith('idempotency', idempotencyKey)) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
          .setAAD(id)
          .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = Buffer.concat([
          decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
          decipher.final(),
        ]);
        return JSON.parse(text.toString()) as StoredAnswer;
      } catch {
        continue;
      }
    }
    return null;
  }
}

import { Injectable } from '@nestjs/common';
import { openBox, sealBox } from '../common/sealed-box';
import { KeyRing } from '../config';

/** An answer as it is sent again: status and JSON body. */
export interface StoredAnswer {
  status: number;
  body: object;
  headers: Record<string, string>;
}

/**
 * Seals answers under a key from APP_SECRET and the caller's Idempotency-Key together: a copy of the database opens
 * none of them, and neither does the service without the caller.
 */
@Injectable()
export class AnswerVault {
  constructor(private readonly keyRing: KeyRing) {}

  seal(answer: StoredAnswer, idempotencyKey: string, id: Buffer): Buffer {
    const [key] = this.keyRing.keysWith('idempotency', idempotencyKey);
    return sealBox(key, Buffer.from(JSON.stringify(answer)), id);
  }

  /** Null when no present APP_SECRET sealed it. */
  open(sealed: Buffer, idempotencyKey: string, id: Buffer): StoredAnswer | null {
    for (const key of this.keyRing.keysWith('idempotency', idempotencyKey)) {
      const text = openBox(key, sealed, id);
      if (text) return JSON.parse(text.toString()) as StoredAnswer;
    }
    return null;
  }
}

import { Injectable } from '@nestjs/common';
import { decryptAesGcm, encryptAesGcm } from '../../common/aes-gcm';
import { DerivedKeyProvider } from '../../core/config';

/** Response to replay: status, JSON body and headers. */
export interface StoredResponse {
  status: number;
  body: object;
  headers: Record<string, string>;
}

/**
 * Encrypts responses with a key derived from APP_SECRET and the caller's Idempotency-Key. Neither a copy of the
 * database nor the service without the caller can decrypt them.
 */
@Injectable()
export class ResponseCipher {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  encryptResponse(response: StoredResponse, idempotencyKey: string, id: Buffer): Buffer {
    const [key] = this.derivedKeyProvider.deriveSaltedKeys('idempotency', idempotencyKey);
    return encryptAesGcm(key, Buffer.from(JSON.stringify(response)), id);
  }

  /** Returns null if no configured APP_SECRET decrypts it. */
  decryptResponse(sealed: Buffer, idempotencyKey: string, id: Buffer): StoredResponse | null {
    for (const key of this.derivedKeyProvider.deriveSaltedKeys('idempotency', idempotencyKey)) {
      const text = decryptAesGcm(key, sealed, id);
      if (text) return JSON.parse(text.toString()) as StoredResponse;
    }
    return null;
  }
}

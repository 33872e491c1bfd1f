import { Injectable } from '@nestjs/common';
import type { AttachedParams } from '@external-api/protocol';
import { decryptAesGcm, encryptAesGcm } from '../../common/aes-gcm';
import { DerivedKeyProvider } from '../../core/config';

/** Text and files of a message: plain, or sealed by its sender, which the service can't decrypt. */
export type MessageText = ({ content: string } | { sealedContent: string; localId: string }) & AttachedParams;

/**
 * Encrypts the texts of queued messages at rest with keys derived from APP_SECRET. Each ciphertext is bound to the id
 * of its message. The service can decrypt it until the message ends (docs/protocol/encryption.md#queued-messages).
 */
@Injectable()
export class QueuedTextCipher {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  encryptText(text: MessageText, queuedMessageId: string): Buffer {
    const [key] = this.derivedKeyProvider.getKeys('queued-message');
    return encryptAesGcm(key, Buffer.from(JSON.stringify(text)), Buffer.from(queuedMessageId));
  }

  /** Returns null if no configured APP_SECRET decrypts it for this message. */
  decryptText(sealed: Buffer, queuedMessageId: string): MessageText | null {
    for (const key of this.derivedKeyProvider.getKeys('queued-message')) {
      const text = decryptAesGcm(key, sealed, Buffer.from(queuedMessageId));
      if (text) return JSON.parse(text.toString()) as MessageText;
    }
    return null;
  }
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { SigningSecretCipher } from './signing-secret-cipher';

const REENCRYPTION_BATCH_SIZE = 100;

interface EncryptedSecretRow {
  id: string;
  secret: Buffer;
  old_secret: Buffer | null;
  headers: Buffer | null;
}

export interface ReencryptionResult {
  /** Webhooks whose secrets or headers were re-encrypted under the first APP_SECRET. */
  reencryptedCount: number;
  /** Webhooks whose secret or headers no configured APP_SECRET decrypts. */
  unreadableIds: string[];
}

/** Re-encrypts signing keys and headers of webhooks under the first APP_SECRET, so that older ones can be removed. */
@Injectable()
export class SecretReencryptionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly signingSecretCipher: SigningSecretCipher,
  ) {}

  async reencryptSecrets(): Promise<ReencryptionResult> {
    const result: ReencryptionResult = { reencryptedCount: 0, unreadableIds: [] };
    let afterId = '';
    for (;;) {
      const rows = await this.unitOfWork.queryRows<EncryptedSecretRow>(
        'SELECT id, secret, old_secret, headers FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2',
        [afterId, REENCRYPTION_BATCH_SIZE],
      );
      for (const row of rows) await this.reencryptRow(row, result);
      if (rows.length < REENCRYPTION_BATCH_SIZE) return result;
      afterId = rows.at(-1)!.id;
    }
  }

  private async reencryptRow(row: EncryptedSecretRow, result: ReencryptionResult): Promise<void> {
    const secret = this.reencryptKey(row.secret, row.id);
    // An expired old secret may belong to an APP_SECRET that was removed. It no longer signs anything.
    const oldSecret = row.old_secret && (this.reencryptKey(row.old_secret, row.id) ?? row.old_secret);
    const headers = row.headers && this.reencryptHeaders(row.headers, row.id);
    if (!secret || (row.headers && !headers)) return void result.unreadableIds.push(row.id);
    if (secret === row.secret && oldSecret === row.old_secret && headers === row.headers) return;
    // A concurrent rotation or edit wins. The next run re-encrypts what it wrote if needed.
    const writtenRows = await this.unitOfWork.queryRows(
      `UPDATE webhooks SET secret = $3, old_secret = $4, headers = $6
        WHERE id = $1 AND secret = $2 AND old_secret IS NOT DISTINCT FROM $5 AND headers IS NOT DISTINCT FROM $7
        RETURNING 1`,
      [row.id, row.secret, secret, oldSecret, row.old_secret, headers, row.headers],
    );
    result.reencryptedCount += writtenRows.length;
  }

  /**
   * Returns the same buffer when it is already encrypted under the first APP_SECRET, null when no secret decrypts it.
   */
  private reencryptKey(encrypted: Buffer, id: string): Buffer | null {
    const key = this.signingSecretCipher.decryptKey(encrypted, id);
    if (!key) return null;
    return this.signingSecretCipher.isEncryptedWithNewestKey(encrypted)
      ? encrypted
      : this.signingSecretCipher.encryptKey(key, id);
  }

  /** As {@link reencryptKey}. */
  private reencryptHeaders(encrypted: Buffer, id: string): Buffer | null {
    const headers = this.signingSecretCipher.decryptHeaders(encrypted, id);
    if (!headers) return null;
    return this.signingSecretCipher.isEncryptedWithNewestKey(encrypted)
      ? encrypted
      : this.signingSecretCipher.encryptHeaders(headers, id);
  }
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';
import { SecretVault } from './secret-vault';

const BATCH = 100;

interface SealedRow {
  id: string;
  secret: Buffer;
  old_secret: Buffer | null;
}

/** How many webhooks there were of each kind. */
export interface Resealed {
  /** Sealed under the first APP_SECRET now, and before not. */
  resealed: number;
  /** Which no APP_SECRET here opens. */
  lost: string[];
}

/** Seals webhooks' signing keys anew under the first APP_SECRET, so that those behind it can go. */
@Injectable()
export class SecretResealing {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly vault: SecretVault,
  ) {}

  async run(): Promise<Resealed> {
    const found: Resealed = { resealed: 0, lost: [] };
    let after = '';
    for (;;) {
      const rows = await this.unitOfWork.query<SealedRow>(
        'SELECT id, secret, old_secret FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2',
        [after, BATCH],
      );
      for (const row of rows) await this.reseal(row, found);
      if (rows.length < BATCH) return found;
      after = rows.at(-1)!.id;
    }
  }

  private async reseal(row: SealedRow, found: Resealed): Promise<void> {
    const secret = this.renewed(row.secret, row.id);
    // One whose overlap is over may be of an APP_SECRET that went long ago; nothing is signed with it.
    const old = row.old_secret && (this.renewed(row.old_secret, row.id) ?? row.old_secret);
    if (!secret) return void found.lost.push(row.id);
    if (secret === row.secret && old === row.old_secret) return;
    // Where somebody rotates it at this moment, theirs stands: it is sealed by whoever runs, and the next run sees it.
    const written = await this.unitOfWork.query(
      `UPDATE webhooks SET secret = $3, old_secret = $4
        WHERE id = $1 AND secret = $2 AND old_secret IS NOT DISTINCT FROM $5 RETURNING 1`,
      [row.id, row.secret, secret, old, row.old_secret],
    );
    found.resealed += written.length;
  }

  /** As it is where it is sealed under the first already; null where nothing opens it. */
  private renewed(sealed: Buffer, id: string): Buffer | null {
    const key = this.vault.open(sealed, id);
    if (!key) return null;
    return this.vault.isNewest(sealed) ? sealed : this.vault.seal(key, id);
  }
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../persistence';
import { AccountEntity } from './account.entity';

@Injectable()
export class AccountsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** False when the username is taken. */
  async insert(account: AccountEntity): Promise<boolean> {
    const result = await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(AccountEntity)
      .values(account)
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  async find(id: string): Promise<AccountEntity | null> {
    const [row] = await this.unitOfWork.query<AccountEntity>(
      `SELECT id, username, content_public_key AS "contentPublicKey", content_key_version AS "contentKeyVersion",
              storage_bytes AS "storageBytes", suspended_at AS "suspendedAt", limits, created_at AS "createdAt"
         FROM accounts WHERE id = $1`,
      [id],
    );
    return row ?? null;
  }

  /** With everything that belongs to it. */
  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(AccountEntity, { id });
  }

  /** Which of these exist; none of them goes before the transaction ends. */
  async holdStanding(ids: string[]): Promise<Set<string>> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      'SELECT id FROM accounts WHERE id = ANY($1) ORDER BY id FOR KEY SHARE',
      [ids],
    );
    return new Set(rows.map((row) => row.id));
  }

  /** Which were suspended in the last `ms` and still are. By the database's clock, as `AccountControl` sets it. */
  async suspendedWithin(ms: number): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `SELECT id FROM accounts WHERE suspended_at >= now() - $1 * interval '1 millisecond'`,
      [ms],
    );
    return rows.map((row) => row.id);
  }

  /** Holds the account's row until the transaction ends: whoever counts under it counts alone. */
  async lock(id: string): Promise<void> {
    await this.unitOfWork.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  }
}

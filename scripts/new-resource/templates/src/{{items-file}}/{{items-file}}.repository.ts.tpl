import { Injectable } from '@nestjs/common';
import { isId } from '../common/ids';
import type { Page, PageQuery } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork } from '../persistence';
import type { {{Item}}Row } from './{{item-file}}-record';
import { {{Item}}Entity } from './{{item-file}}.entity';

@Injectable()
export class {{Items}}Repository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  async insert(entity: {{Item}}Entity): Promise<void> {
    await this.unitOfWork.manager.insert({{Item}}Entity, entity);
  }

  async find(accountId: string, id: string): Promise<{{Item}}Row | undefined> {
    if (!isId('{{prefix}}', id)) return undefined;
    const [row] = await this.unitOfWork.query<{{Item}}Row>(
      'SELECT * FROM {{items_table}} WHERE account_id = $1 AND id = $2',
      [accountId, id],
    );
    return row;
  }

  page(accountId: string, query: PageQuery): Promise<Page<{{Item}}Row>> {
    return this.pager.page<{{Item}}Row>(
      {
        name: '{{items-file}}',
        owner: accountId,
        select: 'SELECT r.* FROM {{items_table}} r',
        key: byCreation('r'),
        where: (_, bind) => [`r.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scan(accountId: string): AsyncGenerator<{{Item}}Row> {
    return scan(this.unitOfWork, 'SELECT r.* FROM {{items_table}} r WHERE r.account_id = $1', 'r', accountId);
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.query<{ count: string }>(
      'SELECT count(*) FROM {{items_table}} WHERE account_id = $1',
      [accountId],
    );
    return Number(row!.count);
  }

  /** False when the account has no such {{item words}}. */
  async delete(accountId: string, id: string): Promise<boolean> {
    if (!isId('{{prefix}}', id)) return false;
    const rows = await this.unitOfWork.query(
      'DELETE FROM {{items_table}} WHERE account_id = $1 AND id = $2 RETURNING 1',
      [accountId, id],
    );
    return rows.length === 1;
  }
}

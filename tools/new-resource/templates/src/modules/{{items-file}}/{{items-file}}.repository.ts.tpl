import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../common/ids';
import type { Page, PageQueryDto } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../core/database';
import type { {{Item}}Row } from './{{item-file}}.response.dto';
import { {{Item}}Entity } from './{{item-file}}.entity';

@Injectable()
export class {{Items}}Repository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  async insert(entity: {{Item}}Entity): Promise<void> {
    await this.unitOfWork.manager.insert({{Item}}Entity, entity);
  }

  async find(accountId: string, id: string): Promise<{{Item}}Row | undefined> {
    if (!isWellFormedId('{{prefix}}', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<{{Item}}Row>(
      'SELECT * FROM {{items_table}} WHERE account_id = $1 AND id = $2',
      [accountId, id],
    );
    return row;
  }

{{#write}}
  /** Returns the {{item words}} and locks it until the transaction ends. */
  async lock{{Item}}(accountId: string, id: string): Promise<{{Item}}Row | undefined> {
    if (!isWellFormedId('{{prefix}}', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<{{Item}}Row>(
      'SELECT * FROM {{items_table}} WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [accountId, id],
    );
    return row;
  }

  async update{{Item}}(row: {{Item}}Row): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE {{items_table}} SET name = $3, version = $4, updated_at = $5 WHERE account_id = $1 AND id = $2',
      [row.account_id, row.id, row.name, row.version, row.updated_at],
    );
  }

{{/write}}
  findPage(accountId: string, query: PageQueryDto): Promise<Page<{{Item}}Row>> {
    return this.pager.readPage<{{Item}}Row>(
      {
        name: '{{items-file}}',
        ownerId: accountId,
        select: 'SELECT r.* FROM {{items_table}} r',
        key: creationOrderKey('r'),
        where: (_, bind) => [`r.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<{{Item}}Row> {
    return streamRows(this.unitOfWork, 'SELECT r.* FROM {{items_table}} r WHERE r.account_id = $1', 'r', accountId);
  }

  async countByAccount(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: string }>(
      'SELECT count(*) FROM {{items_table}} WHERE account_id = $1',
      [accountId],
    );
    return Number(row!.count);
  }

  /** Returns the deleted row, or undefined when the account has no such {{item words}}. */
  async delete(accountId: string, id: string): Promise<{{Item}}Row | undefined> {
    if (!isWellFormedId('{{prefix}}', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<{{Item}}Row>(
      'DELETE FROM {{items_table}} WHERE account_id = $1 AND id = $2 RETURNING *',
      [accountId, id],
    );
    return row;
  }
}

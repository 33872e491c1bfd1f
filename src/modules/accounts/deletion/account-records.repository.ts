import { Injectable } from '@nestjs/common';
import { readForeignKeys, sortByDependency, UnitOfWork, type ForeignKey } from '../../../core/database';

/** What finds rows again: their `id`, or their place if no other rows refer to them. */
export type RowKey = 'id' | 'ctid';

/** Rows of any table that refer to other rows. Names of tables and columns are those of the schema, never input. */
@Injectable()
export class AccountRecordsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns the foreign keys of the schema in an order in which their rows can be deleted. */
  async readForeignKeys(): Promise<ForeignKey[]> {
    return sortByDependency(await readForeignKeys(this.unitOfWork));
  }

  /** Returns keys of rows that refer to these ids. */
  async findRows({ table, column }: ForeignKey, key: RowKey, ids: readonly string[], limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ key: string }>(
      `SELECT ${key}::text AS key FROM ${table} WHERE ${column} = ANY($1) LIMIT $2`,
      [ids, limit],
    );
    return rows.map((row) => row.key);
  }

  /** Does to the rows what the deletion of the ids would. Leaves out those that don't refer to them any more. */
  async removeRows(
    { table, column, onDelete }: ForeignKey,
    key: RowKey,
    rowKeys: readonly string[],
    ids: readonly string[],
  ): Promise<void> {
    const change = onDelete === 'cascade' ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${column} = NULL`;
    const type = key === 'id' ? 'text' : 'tid';
    await this.unitOfWork.queryRows(`${change} WHERE ${key} = ANY($1::${type}[]) AND ${column} = ANY($2)`, [
      rowKeys,
      ids,
    ]);
  }
}

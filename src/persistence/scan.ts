import type { UnitOfWork } from './unit-of-work';

/**
 * All rows of a statement in the order of their ids, a few at a time.
 * @param sql ends before its last conditions; `$1` is the owner, and it selects the column `id` of `alias`
 */
export async function* scan<Row extends { id: string }>(
  unitOfWork: UnitOfWork,
  sql: string,
  alias: string,
  owner: string,
  batch = 100,
): AsyncGenerator<Row> {
  let after = '';
  for (;;) {
    const rows = await unitOfWork.query<Row>(`${sql} AND ${alias}.id > $2 ORDER BY ${alias}.id LIMIT $3`, [
      owner,
      after,
      batch,
    ]);
    yield* rows;
    if (rows.length < batch) return;
    after = rows.at(-1)!.id;
  }
}

import type { UnitOfWork } from './unit-of-work';

/**
 * Yields all rows of a statement in the order of their ids, fetched in batches.
 * @param sql selects the column `id` of `alias`, uses `$1` as the owner, and ends with its WHERE clause
 */
export async function* streamRows<Row extends { id: string }>(
  unitOfWork: UnitOfWork,
  sql: string,
  alias: string,
  ownerId: string,
  batchSize = 100,
): AsyncGenerator<Row> {
  let after = '';
  for (;;) {
    const rows = await unitOfWork.queryRows<Row>(`${sql} AND ${alias}.id > $2 ORDER BY ${alias}.id LIMIT $3`, [
      ownerId,
      after,
      batchSize,
    ]);
    yield* rows;
    if (rows.length < batchSize) return;
    after = rows.at(-1)!.id;
  }
}

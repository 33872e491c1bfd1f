import type { UnitOfWork } from './unit-of-work';

export interface StreamRowsOptions {
  /** Columns that order an owner's rows and identify one. An index must have them after the owner. */
  key?: readonly string[];
  batchSize?: number;
}

/**
 * Yields all rows of an owner in the order of their key, fetched in batches. An order by `id` alone is no default:
 * for owners of many rows, the planner would read the primary key, and with it everybody's rows.
 * @param sql selects the columns of the key of `alias`, uses `$1` as the owner, and ends with its WHERE clause
 */
export async function* streamRows<Row extends object>(
  unitOfWork: UnitOfWork,
  sql: string,
  alias: string,
  ownerId: string,
  { key = ['created_at', 'id'], batchSize = 100 }: StreamRowsOptions = {},
): AsyncGenerator<Row> {
  const columns = key.map((column) => `${alias}.${column}`).join(', ');
  const placeholders = key.map((_, n) => `$${n + 3}`).join(', ');
  let after: unknown[] = [];
  for (;;) {
    const isFirst = after.length === 0;
    const rows = await unitOfWork.queryRows<Row>(
      `${sql}${isFirst ? '' : ` AND (${columns}) > (${placeholders})`} ORDER BY ${columns} LIMIT $2`,
      [ownerId, batchSize, ...after],
    );
    yield* rows;
    if (rows.length < batchSize) return;
    const last = rows.at(-1) as Record<string, unknown>;
    after = key.map((column) => last[column]);
  }
}

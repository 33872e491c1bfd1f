import { randomBytes } from 'node:crypto';
import { Remains } from '../../../src/webhooks/deliveries/remains';
import type { Service } from '../service';

/** Whatever puts statements to the database. */
interface Writer {
  query: (sql: string, parameters?: unknown[]) => Promise<unknown>;
}

/** Deliveries as the fan-out would have written them, pending and due, a second apart back from now. */
export async function insertDeliveries(
  database: Writer,
  webhookId: string,
  count: number,
  { state = 'pending', type = 'session.created' } = {},
): Promise<void> {
  await database.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, state, next_attempt_at, created_at)
     SELECT 'dlv_' || $3 || lpad(to_hex(i), 10, '0'), $1, 'evt_' || $3 || lpad(to_hex(i), 10, '0'), $5,
            json_build_object('type', $5::text, 'data', json_build_object('id', i)), $4,
            CASE $4 WHEN 'pending' THEN now() END, now() - i * interval '1 second'
       FROM generate_series(1, $2::integer) i
`,
    [webhookId, count, randomBytes(8).toString('hex'), state, type],
  );
  if (state !== 'pending') return;
  await database.query('UPDATE webhook_lanes SET due_at = now() WHERE webhook_id = $1', [webhookId]);
}

/** Until nothing is left of webhooks that were deleted, as the service does every minute. */
export async function clearRemains({ app }: Service): Promise<void> {
  const remains = app.get(Remains, { strict: false });
  while (await remains.clear());
}

import { randomBytes } from 'node:crypto';
import { DeletedWebhookCleanup } from '../../../src/modules/webhooks/deliveries/deleted-webhook-cleanup';
import type { Service } from '../service';

/** Runs statements on the database. */
interface QueryExecutor {
  query: (sql: string, parameters?: unknown[]) => Promise<unknown>;
}

/** Inserts due deliveries as the fan-out does, one per second back from now. */
export async function insertWebhookDeliveries(
  database: QueryExecutor,
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
    [webhookId, count, `0${randomBytes(8).toString('hex').slice(1)}`, state, type],
  );
  if (state !== 'pending') return;
  await database.query(
    `UPDATE webhook_endpoint_queues SET version = version + 1, due_at =
       (SELECT min(next_attempt_at) FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending')
      WHERE webhook_id = $1`,
    [webhookId],
  );
}

/** Deletes the logs of all deleted webhooks, as the service does every minute. */
export async function cleanUpDeletedWebhooks({ app }: Service): Promise<void> {
  const deletedWebhookCleanup = app.get(DeletedWebhookCleanup, { strict: false });
  while (await deletedWebhookCleanup.deleteBatch());
}

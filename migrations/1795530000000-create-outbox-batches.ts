import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that wait for their fan-out, by their ids: the payloads are in the event log, whose index of accounts and
 * transactions finds them. The previous release neither writes nor reads these rows: they wait until an instance of
 * this one runs. Autovacuum follows closely, as it does for the outbox.
 */
export class CreateOutboxBatches1795530000000 implements MigrationInterface {
  name = 'CreateOutboxBatches1795530000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_outbox_batches (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
        event_ids text[] NOT NULL,
        webhook_ids text[] NOT NULL,
        traceparent text,
        created_at timestamptz(3) NOT NULL
      ) WITH (
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_outbox_batches');
  }
}

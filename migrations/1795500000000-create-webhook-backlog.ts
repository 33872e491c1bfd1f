import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that wait for busy or failing endpoints, stored once for all webhooks of an account. The previous release
 * doesn't read them: they wait until an instance of this one runs.
 */
export class CreateWebhookBacklog1795500000000 implements MigrationInterface {
  name = 'CreateWebhookBacklog1795500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_backlog_batches (
        id text COLLATE "C" PRIMARY KEY,
        events text NOT NULL,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE webhook_backlog_entries (
        webhook_id text COLLATE "C" NOT NULL,
        batch_id text COLLATE "C" NOT NULL REFERENCES webhook_backlog_batches ON DELETE CASCADE,
        positions smallint[] NOT NULL,
        PRIMARY KEY (webhook_id, batch_id)
      )`);
    await runner.query(`CREATE INDEX webhook_backlog_entries_batch_idx ON webhook_backlog_entries (batch_id)`);
    await runner.query(`
      ALTER TABLE webhook_endpoint_queues ADD COLUMN backlog_events integer NOT NULL DEFAULT 0,
        ADD COLUMN backlog_due_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_endpoint_queues DROP COLUMN backlog_events, DROP COLUMN backlog_due_at`);
    await runner.query(`DROP TABLE webhook_backlog_entries`);
    await runner.query(`DROP TABLE webhook_backlog_batches`);
  }
}

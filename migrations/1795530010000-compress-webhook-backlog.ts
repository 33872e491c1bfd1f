import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Compressed events of the backlog, with their ids beside them, which replays read. Rows of before stay in `events`.
 * The previous release doesn't read the backlog.
 */
export class CompressWebhookBacklog1795530010000 implements MigrationInterface {
  name = 'CompressWebhookBacklog1795530010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_backlog_batches ALTER COLUMN events DROP NOT NULL,
        ADD COLUMN event_ids text[], ADD COLUMN compressed_events bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM webhook_backlog_batches WHERE events IS NULL');
    await runner.query(`
      ALTER TABLE webhook_backlog_batches DROP COLUMN event_ids, DROP COLUMN compressed_events,
        ALTER COLUMN events SET NOT NULL`);
  }
}

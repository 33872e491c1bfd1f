import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The W3C trace of the request in which an event happened, on its way to a webhook. */
export class AddTraceparents1795132817000 implements MigrationInterface {
  name = 'AddTraceparents1795132817000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_outbox ADD COLUMN traceparent text`);
    await runner.query(`ALTER TABLE webhook_deliveries ADD COLUMN traceparent text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_deliveries DROP COLUMN traceparent`);
    await runner.query(`ALTER TABLE webhook_outbox DROP COLUMN traceparent`);
  }
}

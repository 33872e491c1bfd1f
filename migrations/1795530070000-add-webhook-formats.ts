import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Form of a webhook's requests, and the headers that its creator adds to them: names in clear, values encrypted. */
export class AddWebhookFormats1795530070000 implements MigrationInterface {
  name = 'AddWebhookFormats1795530070000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE webhooks ADD COLUMN format text NOT NULL DEFAULT 'standard',
        ADD COLUMN header_names text[] NOT NULL DEFAULT '{}', ADD COLUMN headers bytea`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhooks DROP COLUMN format, DROP COLUMN header_names, DROP COLUMN headers`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a deleted webhook has delivered goes behind its deletion, in portions. The trigger notes whose it is, whichever way
 * the lane went: by itself, with its account, or by an instance that knows nothing of this.
 */
export class AddWebhookRemains1795132820000 implements MigrationInterface {
  name = 'AddWebhookRemains1795132820000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_remains (
        webhook_id text COLLATE "C" PRIMARY KEY,
        deleted_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query(`
      CREATE FUNCTION note_webhook_remains() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO webhook_remains (webhook_id) VALUES (OLD.webhook_id) ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER webhook_lanes_remains AFTER DELETE ON webhook_lanes
        FOR EACH ROW EXECUTE FUNCTION note_webhook_remains()`);
    for (const table of ['webhook_deliveries', 'webhook_attempts'])
      await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_webhook_id_fkey`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['webhook_deliveries', 'webhook_attempts']) {
      await runner.query(
        `DELETE FROM ${table} WHERE webhook_id NOT IN (SELECT webhook_id FROM webhook_lanes)`,
      );
      await runner.query(
        `ALTER TABLE ${table} ADD FOREIGN KEY (webhook_id) REFERENCES webhook_lanes ON DELETE CASCADE`,
      );
    }
    await runner.query(`DROP TRIGGER webhook_lanes_remains ON webhook_lanes`);
    await runner.query(`DROP FUNCTION note_webhook_remains`);
    await runner.query(`DROP TABLE webhook_remains`);
  }
}

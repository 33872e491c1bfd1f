import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Table names of the previous release, with their new names (docs/glossary.md). */
const NEW_NAMES = {
  webhook_lanes: 'webhook_endpoint_queues',
  webhook_remains: 'webhook_cleanup_queue',
};

/**
 * Renames the tables of endpoint queues and of the webhook cleanup. The old names become updatable views, since the
 * previous release reads and writes them during a deploy. The next release drops the views.
 */
export class RenameWebhookQueueTables1795367824000 implements MigrationInterface {
  name = 'RenameWebhookQueueTables1795367824000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [oldName, newName] of Object.entries(NEW_NAMES)) await renameTable(runner, oldName, newName);
    await replaceTriggerFunction(runner, 'note_webhook_remains', 'webhook_cleanup_queue');
    await runner.query(`ALTER FUNCTION note_webhook_remains() RENAME TO enqueue_webhook_cleanup`);
    await runner.query(
      `ALTER TRIGGER webhook_lanes_remains ON webhook_endpoint_queues RENAME TO webhook_endpoint_queues_cleanup`,
    );
    for (const [oldName, newName] of Object.entries(NEW_NAMES))
      await runner.query(`CREATE VIEW ${oldName} AS SELECT * FROM ${newName}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const oldName of Object.keys(NEW_NAMES)) await runner.query(`DROP VIEW ${oldName}`);
    await runner.query(
      `ALTER TRIGGER webhook_endpoint_queues_cleanup ON webhook_endpoint_queues RENAME TO webhook_lanes_remains`,
    );
    await runner.query(`ALTER FUNCTION enqueue_webhook_cleanup() RENAME TO note_webhook_remains`);
    await replaceTriggerFunction(runner, 'note_webhook_remains', 'webhook_remains');
    for (const [oldName, newName] of Object.entries(NEW_NAMES)) await renameTable(runner, newName, oldName);
  }
}

/** Renames a table with its constraints and indexes. PostgreSQL 18 also names the NOT NULL constraints. */
async function renameTable(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  const constraints = (await runner.query(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = '${to}'::regclass AND starts_with(conname, '${from}_')`,
  )) as { name: string }[];
  for (const { name } of constraints)
    await runner.query(`ALTER TABLE ${to} RENAME CONSTRAINT ${name} TO ${name.replace(from, to)}`);
  // The index of a primary key was renamed with its constraint.
  const indexes = (await runner.query(
    `SELECT indexname AS name FROM pg_indexes
      WHERE schemaname = current_schema() AND tablename = '${to}' AND starts_with(indexname, '${from}_')`,
  )) as { name: string }[];
  for (const { name } of indexes) await runner.query(`ALTER INDEX ${name} RENAME TO ${name.replace(from, to)}`);
}

/** Makes the trigger function insert the deleted webhook into this table. */
async function replaceTriggerFunction(runner: QueryRunner, name: string, table: string): Promise<void> {
  await runner.query(`
      CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO ${table} (webhook_id) VALUES (OLD.webhook_id) ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$`);
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from './concurrent-indexes';

/** Vacuumed as soon as two thousand rows are dead, at full speed: these tables are small and change all the time. */
const QUEUE_SETTINGS = {
  autovacuum_vacuum_scale_factor: 0,
  autovacuum_vacuum_threshold: 2000,
  autovacuum_vacuum_cost_delay: 0,
};
/** A delivery is updated about once. The table is large, so that a fifth of it, the default, is too late. */
const DELIVERY_SETTINGS = { autovacuum_vacuum_scale_factor: 0.02, autovacuum_analyze_scale_factor: 0.02 };

const SETTINGS: Record<string, Record<string, number>> = {
  webhook_outbox: QUEUE_SETTINGS,
  webhook_endpoint_queues: QUEUE_SETTINGS,
  webhook_deliveries: DELIVERY_SETTINGS,
};

/**
 * Makes the work on webhook queues independent of dead rows (docs/decisions/0045): the version of an endpoint queue
 * becomes part of its key, and autovacuum follows more closely. The previous release doesn't increment the version,
 * which costs it nothing.
 */
export class VersionWebhookQueues1795460000000 implements MigrationInterface {
  name = 'VersionWebhookQueues1795460000000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE webhook_endpoint_queues ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 0`,
    );
    await createIndexConcurrently(runner, {
      name: 'webhook_endpoint_queues_version_key',
      table: 'webhook_endpoint_queues',
      columns: 'webhook_id, version',
      unique: true,
    });
    await runner.query(`
      ALTER TABLE webhook_endpoint_queues DROP CONSTRAINT webhook_endpoint_queues_pkey,
        ADD CONSTRAINT webhook_endpoint_queues_pkey PRIMARY KEY USING INDEX webhook_endpoint_queues_version_key`);
    for (const [table, settings] of Object.entries(SETTINGS)) {
      const assignments = Object.entries(settings).map((setting) => setting.join(' = '));
      await runner.query(`ALTER TABLE ${table} SET (${assignments.join(', ')})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, settings] of Object.entries(SETTINGS))
      await runner.query(`ALTER TABLE ${table} RESET (${Object.keys(settings).join(', ')})`);
    await runner.query(`
      ALTER TABLE webhook_endpoint_queues DROP CONSTRAINT webhook_endpoint_queues_pkey,
        DROP COLUMN version, ADD CONSTRAINT webhook_endpoint_queues_pkey PRIMARY KEY (webhook_id)`);
  }
}

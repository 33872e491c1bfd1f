import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells the planner that a webhook has several versions of its queue: statistics count the current one only, and for a
 * single row it may well read and sort all that a held snapshot retains (docs/decisions/0045).
 */
export class EstimateQueueVersions1795530095000 implements MigrationInterface {
  name = 'EstimateQueueVersions1795530095000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_endpoint_queues ALTER COLUMN webhook_id SET (n_distinct = -0.5)`);
    await runner.query(`ANALYZE webhook_endpoint_queues`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_endpoint_queues ALTER COLUMN webhook_id RESET (n_distinct)`);
    await runner.query(`ANALYZE webhook_endpoint_queues`);
  }
}

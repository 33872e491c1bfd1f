import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Relayed calls by the filters of the console. A migration of its own: its lock lets others read calls while the table
 * is scanned, unlike that of a new column. Few calls fail and few are of apps, so these indexes stay small.
 */
export class IndexRelayCalls1795440030000 implements MigrationInterface {
  name = 'IndexRelayCalls1795440030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX relay_calls_token_idx ON relay_calls (account_id, token_id, created_at, request_id)`,
    );
    await runner.query(
      `CREATE INDEX relay_calls_app_idx ON relay_calls (account_id, app_id, created_at, request_id)
        WHERE app_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX relay_calls_device_idx ON relay_calls (account_id, device_id, created_at, request_id)`,
    );
    await runner.query(
      `CREATE INDEX relay_calls_failed_idx ON relay_calls (account_id, created_at, request_id)
        WHERE status >= 300 OR timed_out`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['token', 'app', 'device', 'failed']) await runner.query(`DROP INDEX relay_calls_${name}_idx`);
  }
}

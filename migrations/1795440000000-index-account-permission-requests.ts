import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for the list of an account's permission requests, all of them and those that wait for a decision. */
export class IndexAccountPermissionRequests1795440000000 implements MigrationInterface {
  name = 'IndexAccountPermissionRequests1795440000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX permission_requests_account_list_idx ON permission_requests (account_id, created_at, id)`,
    );
    await runner.query(
      `CREATE INDEX permission_requests_account_pending_idx ON permission_requests (account_id, created_at, id)
        WHERE state = 'pending'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX permission_requests_account_pending_idx`);
    await runner.query(`DROP INDEX permission_requests_account_list_idx`);
  }
}

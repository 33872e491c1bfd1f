import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Security-relevant acts in accounts, and of operators. Acts that concern no account, or one that the act deletes, have
 * no account. Like the event log, the table has no foreign key: an insert would wait for the deletion of its account
 * while it holds locks that the deletion waits for.
 */
export class CreateAuditEvents1795460100000 implements MigrationInterface {
  name = 'CreateAuditEvents1795460100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_events (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C",
        act text NOT NULL,
        actor_kind text NOT NULL,
        actor_id text COLLATE "C",
        target_kind text NOT NULL,
        target_id text COLLATE "C",
        reason text,
        address text,
        user_agent text,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX audit_events_list_idx ON audit_events (account_id, created_at, id)`);
    await runner.query(`CREATE INDEX audit_events_age_idx ON audit_events (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE audit_events`);
  }
}

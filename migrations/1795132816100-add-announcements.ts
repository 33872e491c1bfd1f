import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was told of a machine's state, and when a token's end is told of next. */
export class AddAnnouncements1795132816100 implements MigrationInterface {
  name = 'AddAnnouncements1795132816100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE machines
        ADD COLUMN announced_state text NOT NULL DEFAULT 'offline',
        ADD COLUMN turned_at timestamptz(3)`);
    await runner.query(`UPDATE machines SET announced_state = state`);
    await runner.query(
      `CREATE INDEX machines_unannounced_idx ON machines (turned_at) WHERE announced_state <> state`,
    );
    await runner.query(`ALTER TABLE external_tokens ADD COLUMN expiry_notice_at timestamptz(3)`);
    await runner.query(`
      UPDATE external_tokens
         SET expiry_notice_at = CASE WHEN expires_at > now() + interval '7 days' THEN expires_at - interval '7 days'
                                     ELSE expires_at - interval '1 day' END
       WHERE expires_at > now() + interval '1 day' AND revoked_at IS NULL`);
    await runner.query(`
      CREATE INDEX external_tokens_notice_idx ON external_tokens (expiry_notice_at)
        WHERE expiry_notice_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_tokens DROP COLUMN expiry_notice_at`);
    await runner.query(`DROP INDEX machines_unannounced_idx`);
    await runner.query(`ALTER TABLE machines DROP COLUMN turned_at, DROP COLUMN announced_state`);
  }
}

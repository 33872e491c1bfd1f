import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Log of all events, for the event stream, and the counter of a session's events. */
export class CreateEventLog1795410000000 implements MigrationInterface {
  name = 'CreateEventLog1795410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions ADD COLUMN event_position bigint NOT NULL DEFAULT 0`);
    // The service creates partitions for days, and drops them. Rows without a partition are in the default one, so that
    // a service that slept for weeks can write at once.
    await runner.query(`
      CREATE TABLE event_log (
        id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        session_id text COLLATE "C",
        position bigint,
        type text NOT NULL,
        payload text NOT NULL,
        logged_at timestamptz(3) NOT NULL,
        xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
        CHECK ((session_id IS NULL) = (position IS NULL))
      ) PARTITION BY RANGE (logged_at)`);
    await runner.query(`CREATE INDEX event_log_account_idx ON event_log (account_id, xid)`);
    await runner.query(
      `CREATE INDEX event_log_session_idx ON event_log (session_id, position) WHERE session_id IS NOT NULL`,
    );
    await runner.query(`CREATE TABLE event_log_default PARTITION OF event_log DEFAULT`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE event_log`);
    await runner.query(`ALTER TABLE sessions DROP COLUMN event_position`);
  }
}

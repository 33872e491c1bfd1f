import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Permission requests of agents. `state` is what the device reported: a request whose `expires_at` is past is shown as
 * expired without a change of its row. The list of expired ones therefore reads the pending rows too, from an index of
 * its own.
 */
export class CreatePermissionRequests1795395600000 implements MigrationInterface {
  name = 'CreatePermissionRequests1795395600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE permission_requests (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        session_id text COLLATE "C" NOT NULL REFERENCES sessions ON DELETE CASCADE,
        turn_id text COLLATE "C" NOT NULL,
        device_id text COLLATE "C" NOT NULL,
        local_id text COLLATE "C" NOT NULL,
        revision integer NOT NULL,
        kind text NOT NULL,
        options jsonb NOT NULL,
        key_id text NOT NULL,
        content text,
        size_bytes integer NOT NULL,
        delete_content_at timestamptz(3) NOT NULL,
        state text NOT NULL,
        option_id text COLLATE "C",
        decided_by jsonb,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        decided_at timestamptz(3),
        CONSTRAINT permission_requests_local_key UNIQUE (session_id, local_id)
      )`);
    await runner.query(`CREATE INDEX permission_requests_list_idx ON permission_requests (session_id, created_at, id)`);
    await runner.query(
      `CREATE INDEX permission_requests_state_idx ON permission_requests (session_id, state, created_at, id)`,
    );
    await runner.query(
      `CREATE INDEX permission_requests_expired_idx ON permission_requests (session_id, created_at, id)
        WHERE state IN ('pending', 'expired')`,
    );
    await runner.query(
      `CREATE INDEX permission_requests_content_idx ON permission_requests (delete_content_at)
        WHERE content IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX permission_requests_pending_idx ON permission_requests (session_id) WHERE state = 'pending'`,
    );
    await runner.query(`CREATE INDEX permission_requests_account_idx ON permission_requests (account_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE permission_requests`);
  }
}

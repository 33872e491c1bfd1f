import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Turns, and what sessions show of them. A turn's id comes from the id of a relayed call, which another account could
 * report too, so that it is unique within its account only.
 */
export class CreateTurns1795392000000 implements MigrationInterface {
  name = 'CreateTurns1795392000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions
        ADD COLUMN activity text NOT NULL DEFAULT 'idle',
        ADD COLUMN agent jsonb`);
    await runner.query(`
      CREATE TABLE turns (
        id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        session_id text COLLATE "C" NOT NULL REFERENCES sessions ON DELETE CASCADE,
        device_id text COLLATE "C" NOT NULL,
        revision integer NOT NULL,
        version integer NOT NULL DEFAULT 1,
        state text NOT NULL,
        stop_reason text,
        error_code text,
        first_seq integer,
        last_seq integer,
        pending_permissions integer NOT NULL DEFAULT 0,
        usage jsonb,
        created_at timestamptz(3) NOT NULL,
        started_at timestamptz(3),
        ended_at timestamptz(3),
        updated_at timestamptz(3) NOT NULL,
        PRIMARY KEY (session_id, id),
        CONSTRAINT turns_account_key UNIQUE (account_id, id)
      )`);
    await runner.query(`CREATE INDEX turns_list_idx ON turns (session_id, created_at, id)`);
    await runner.query(`CREATE INDEX turns_state_idx ON turns (session_id, state, created_at, id)`);
    await runner.query(
      `CREATE INDEX turns_open_idx ON turns (device_id) WHERE state IN ('queued', 'running', 'requires_action')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE turns`);
    await runner.query(`ALTER TABLE sessions DROP COLUMN agent, DROP COLUMN activity`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Commands that run for up to an hour: ids, states and numbers. Neither commands nor output are stored. */
export class CreateInvocations1795430000000 implements MigrationInterface {
  name = 'CreateInvocations1795430000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invocations (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        machine_id text COLLATE "C" NOT NULL REFERENCES machines ON DELETE CASCADE,
        device_id text COLLATE "C" NOT NULL,
        revision integer NOT NULL,
        version integer NOT NULL,
        state text NOT NULL,
        error_code text,
        exit_code integer,
        signal text,
        timed_out boolean NOT NULL,
        stdout_bytes bigint NOT NULL,
        stderr_bytes bigint NOT NULL,
        created_at timestamptz(3) NOT NULL,
        started_at timestamptz(3),
        ended_at timestamptz(3),
        updated_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX invocations_list_idx ON invocations (machine_id, created_at, id)`);
    await runner.query(`CREATE INDEX invocations_state_idx ON invocations (machine_id, state, created_at, id)`);
    await runner.query(`CREATE INDEX invocations_account_idx ON invocations (account_id, id)`);
    await runner.query(
      `CREATE INDEX invocations_open_idx ON invocations (device_id) WHERE state IN ('starting', 'running')`,
    );
    await runner.query(`CREATE INDEX invocations_updated_idx ON invocations (updated_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE invocations`);
  }
}

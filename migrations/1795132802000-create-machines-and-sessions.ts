import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMachinesAndSessions1795132802000 implements MigrationInterface {
  name = 'CreateMachinesAndSessions1795132802000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE machines (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        device_id text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE
          CONSTRAINT machines_device_key UNIQUE,
        name text NOT NULL,
        platform text NOT NULL,
        arch text,
        app_version text,
        state text NOT NULL DEFAULT 'offline' CHECK (state IN ('online', 'offline')),
        capabilities text[] NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        last_seen_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX machines_list_idx ON machines (account_id, created_at, id)`);
    await runner.query(`
      CREATE TABLE sessions (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        tag text NOT NULL,
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'ended')),
        host_device_id text COLLATE "C" REFERENCES devices ON DELETE SET NULL,
        machine_id text COLLATE "C" REFERENCES machines ON DELETE SET NULL,
        data_key_id text NOT NULL,
        sealed_data_key text NOT NULL,
        metadata text,
        version integer NOT NULL DEFAULT 1,
        message_count integer NOT NULL DEFAULT 0,
        last_seq integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        last_active_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3),
        CONSTRAINT sessions_tag_key UNIQUE (account_id, tag)
      )`);
    await runner.query(`CREATE INDEX sessions_list_idx ON sessions (account_id, created_at, id)`);
    await runner.query(
      `CREATE INDEX sessions_machine_idx ON sessions (account_id, machine_id, created_at, id)`,
    );
    await runner.query(`CREATE INDEX sessions_state_idx ON sessions (account_id, state, created_at, id)`);
    await runner.query(`CREATE INDEX sessions_updated_idx ON sessions (account_id, updated_at)`);
    await runner.query(`CREATE INDEX sessions_host_idx ON sessions (host_device_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE sessions`);
    await runner.query(`DROP TABLE machines`);
  }
}

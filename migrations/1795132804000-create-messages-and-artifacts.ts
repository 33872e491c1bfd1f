import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What devices keep in ciphertext, and how much of it an account has. */
export class CreateMessagesAndArtifacts1795132804000 implements MigrationInterface {
  name = 'CreateMessagesAndArtifacts1795132804000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN storage_bytes bigint NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE sessions ADD COLUMN message_bytes bigint NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE messages (
        id text COLLATE "C" PRIMARY KEY,
        session_id text COLLATE "C" NOT NULL REFERENCES sessions ON DELETE CASCADE,
        seq integer NOT NULL,
        local_id text COLLATE "C" NOT NULL,
        role text NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
        key_id text NOT NULL,
        content text NOT NULL,
        size_bytes integer NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT messages_seq_key UNIQUE (session_id, seq),
        CONSTRAINT messages_local_id_key UNIQUE (session_id, local_id)
      )`);
    await runner.query(`CREATE INDEX messages_role_idx ON messages (session_id, role, seq)`);
    await runner.query(`
      CREATE TABLE artifacts (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        session_id text COLLATE "C" REFERENCES sessions ON DELETE SET NULL,
        host_device_id text COLLATE "C" REFERENCES devices ON DELETE SET NULL,
        tag text NOT NULL,
        media_type text NOT NULL,
        data_key_id text NOT NULL,
        sealed_data_key text NOT NULL,
        content text NOT NULL,
        version integer NOT NULL DEFAULT 1,
        size_bytes integer NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT artifacts_tag_key UNIQUE (account_id, tag)
      )`);
    await runner.query(`CREATE INDEX artifacts_list_idx ON artifacts (account_id, created_at, id)`);
    await runner.query(
      `CREATE INDEX artifacts_session_idx ON artifacts (account_id, session_id, created_at, id)`,
    );
    await runner.query(
      `CREATE INDEX artifacts_media_type_idx ON artifacts (account_id, media_type, created_at, id)`,
    );
    await runner.query(`CREATE INDEX artifacts_updated_idx ON artifacts (account_id, updated_at)`);
    await runner.query(`CREATE INDEX artifacts_session_fk_idx ON artifacts (session_id)`);
    await runner.query(`CREATE INDEX artifacts_host_idx ON artifacts (host_device_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE artifacts`);
    await runner.query(`DROP TABLE messages`);
    await runner.query(`ALTER TABLE sessions DROP COLUMN message_bytes`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN storage_bytes`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages that wait for delivery. `due_at` is when a message has its next step: an instance without work asks one
 * index. At most one message of a session is `sending`.
 */
export class CreateQueuedMessages1795420000000 implements MigrationInterface {
  name = 'CreateQueuedMessages1795420000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE queued_messages (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        session_id text COLLATE "C" NOT NULL REFERENCES sessions ON DELETE CASCADE,
        position integer NOT NULL,
        token_id text COLLATE "C",
        app_id text COLLATE "C",
        caller_device_id text COLLATE "C",
        state text NOT NULL DEFAULT 'queued',
        version integer NOT NULL DEFAULT 1,
        sealed_text bytea,
        size_bytes integer NOT NULL,
        not_before timestamptz(3),
        expires_at timestamptz(3) NOT NULL,
        due_at timestamptz(3) NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        woken boolean NOT NULL DEFAULT false,
        sender_instance text COLLATE "C",
        request_id text COLLATE "C",
        lease_ends_at timestamptz(3),
        turn_id text COLLATE "C",
        error_code text,
        created_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3),
        CONSTRAINT queued_messages_position_key UNIQUE (session_id, position)
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX queued_messages_sending_key ON queued_messages (session_id) WHERE state = 'sending'`,
    );
    await runner.query(`CREATE INDEX queued_messages_state_idx ON queued_messages (session_id, state, position)`);
    await runner.query(`CREATE INDEX queued_messages_due_idx ON queued_messages (due_at) WHERE ended_at IS NULL`);
    await runner.query(
      `CREATE INDEX queued_messages_open_idx ON queued_messages (session_id, position) WHERE ended_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX queued_messages_waiting_idx ON queued_messages (account_id) WHERE ended_at IS NULL`,
    );
    await runner.query(`CREATE INDEX queued_messages_account_idx ON queued_messages (account_id, id)`);
    await runner.query(`CREATE INDEX queued_messages_age_idx ON queued_messages (ended_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE queued_messages`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Browsers with notifications, and what each has still to be told about a session. */
export class CreatePushSubscriptions1795530060000 implements MigrationInterface {
  name = 'CreatePushSubscriptions1795530060000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE push_subscriptions (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        device_id text COLLATE "C" NOT NULL UNIQUE REFERENCES devices ON DELETE CASCADE,
        endpoint_hash bytea NOT NULL,
        target bytea NOT NULL,
        events text[] NOT NULL,
        server_key text NOT NULL,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX push_subscriptions_list_idx ON push_subscriptions (account_id, created_at, id)`);
    await runner.query(`CREATE INDEX push_subscriptions_endpoint_idx ON push_subscriptions (endpoint_hash)`);
    await runner.query(`
      CREATE TABLE push_notices (
        subscription_id text COLLATE "C" NOT NULL REFERENCES push_subscriptions ON DELETE CASCADE,
        session_id text COLLATE "C" NOT NULL,
        event text NOT NULL,
        record_id text COLLATE "C" NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        due_at timestamptz(3),
        attempts integer NOT NULL,
        noticed_at timestamptz(3),
        PRIMARY KEY (subscription_id, session_id)
      )`);
    await runner.query(`CREATE INDEX push_notices_session_idx ON push_notices (session_id)`);
    await runner.query(`CREATE INDEX push_notices_due_idx ON push_notices (due_at) WHERE due_at IS NOT NULL`);
    await runner.query(`CREATE INDEX push_notices_expiry_idx ON push_notices (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE push_notices`);
    await runner.query(`DROP TABLE push_subscriptions`);
  }
}

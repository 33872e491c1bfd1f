import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit rows outlive what they name, so they reference nothing but their account. */
export class CreateRelayCallsAndIdempotency1795132803000 implements MigrationInterface {
  name = 'CreateRelayCallsAndIdempotency1795132803000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE relay_calls (
        request_id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        method text NOT NULL,
        device_id text COLLATE "C",
        session_id text COLLATE "C",
        machine_id text COLLATE "C",
        token_id text COLLATE "C" NOT NULL,
        app_id text,
        request_bytes integer NOT NULL,
        result_bytes integer,
        status integer NOT NULL,
        code text,
        outcome text,
        route_ms integer,
        device_ms integer,
        total_ms integer,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(
      `CREATE INDEX relay_calls_account_idx ON relay_calls (account_id, created_at, request_id)`,
    );
    await runner.query(`CREATE INDEX relay_calls_age_idx ON relay_calls (created_at)`);
    await runner.query(`
      CREATE TABLE idempotency_keys (
        id bytea PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        request_hash bytea NOT NULL,
        call_id text COLLATE "C" NOT NULL,
        origin text NOT NULL,
        status integer,
        answer bytea,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX idempotency_keys_expiry_idx ON idempotency_keys (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotency_keys`);
    await runner.query(`DROP TABLE relay_calls`);
  }
}

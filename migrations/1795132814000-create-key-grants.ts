import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Data keys that devices have sealed for callers. */
export class CreateKeyGrants1795132814000 implements MigrationInterface {
  name = 'CreateKeyGrants1795132814000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_grants (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        session_id text COLLATE "C" REFERENCES sessions ON DELETE CASCADE,
        artifact_id text COLLATE "C" REFERENCES artifacts ON DELETE CASCADE,
        recipient jsonb,
        recipient_key_id text NOT NULL,
        recipient_thumbprint text NOT NULL,
        sealed_key text NOT NULL,
        token_id text COLLATE "C" REFERENCES external_tokens ON DELETE CASCADE,
        app_id text COLLATE "C" REFERENCES developer_apps ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3),
        CHECK (num_nonnulls(session_id, artifact_id) = 1),
        CHECK (num_nonnulls(token_id, app_id) <= 1)
      )`);
    // The same grant again is the standing one.
    await runner.query(`
      CREATE UNIQUE INDEX key_grants_same_key ON key_grants
        (session_id, artifact_id, (recipient IS NULL), recipient_thumbprint, token_id, app_id, expires_at)
        NULLS NOT DISTINCT`);
    await runner.query(`CREATE INDEX key_grants_session_idx ON key_grants (session_id, created_at, id)`);
    await runner.query(`CREATE INDEX key_grants_artifact_idx ON key_grants (artifact_id, created_at, id)`);
    await runner.query(`CREATE INDEX key_grants_account_idx ON key_grants (account_id)`);
    await runner.query(`CREATE INDEX key_grants_app_idx ON key_grants (app_id, account_id)`);
    await runner.query(`CREATE INDEX key_grants_token_idx ON key_grants (token_id)`);
    await runner.query(`CREATE INDEX key_grants_expiry_idx ON key_grants (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE key_grants`);
  }
}

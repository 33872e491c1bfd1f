import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A token and its secrets: more than one while a rotation overlaps. */
export class CreateExternalTokens1795132801000 implements MigrationInterface {
  name = 'CreateExternalTokens1795132801000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE external_tokens (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        name text NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        last_used_at timestamptz(3)
      )`);
    await runner.query(
      `CREATE INDEX external_tokens_account_idx ON external_tokens (account_id, created_at, id)`,
    );
    await runner.query(`
      CREATE TABLE external_token_secrets (
        hash bytea PRIMARY KEY,
        token_id text COLLATE "C" NOT NULL REFERENCES external_tokens ON DELETE CASCADE,
        prefix text NOT NULL,
        last4 text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        superseded boolean NOT NULL DEFAULT false,
        ends_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX external_token_secrets_token_idx ON external_token_secrets (token_id)`);
    await runner.query(
      `CREATE UNIQUE INDEX external_token_secrets_current_key
         ON external_token_secrets (token_id) WHERE NOT superseded`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE external_token_secrets`);
    await runner.query(`DROP TABLE external_tokens`);
  }
}

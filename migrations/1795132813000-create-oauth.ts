import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What people are asked, the codes that they agreed to, and the tokens that came of those. Codes and families hang
 * from the authorization alone: whoever takes its row first never waits for an app or an account that waits for them.
 */
export class CreateOAuth1795132813000 implements MigrationInterface {
  name = 'CreateOAuth1795132813000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_requests (
        hash bytea PRIMARY KEY,
        app_id text COLLATE "C" NOT NULL,
        redirect_uri text NOT NULL,
        scopes text[] NOT NULL,
        state bytea,
        code_challenge text NOT NULL,
        session text,
        ticket_hash bytea,
        ticket_account_id text COLLATE "C",
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE UNIQUE INDEX oauth_requests_ticket_key ON oauth_requests (ticket_hash)`);
    await runner.query(`CREATE INDEX oauth_requests_expiry_idx ON oauth_requests (expires_at)`);
    await runner.query(`
      CREATE TABLE oauth_codes (
        hash bytea PRIMARY KEY,
        authorization_id text COLLATE "C" NOT NULL REFERENCES app_authorizations ON DELETE CASCADE,
        redirect_uri text NOT NULL,
        scopes text[] NOT NULL,
        code_challenge text NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX oauth_codes_authorization_idx ON oauth_codes (authorization_id)`);
    await runner.query(`CREATE INDEX oauth_codes_expiry_idx ON oauth_codes (expires_at)`);
    // Without its authorization a family is revoked; it stays until its end, so that its tokens are told so.
    await runner.query(`
      CREATE TABLE oauth_token_families (
        id text COLLATE "C" PRIMARY KEY,
        authorization_id text COLLATE "C" REFERENCES app_authorizations ON DELETE SET NULL,
        code_hash bytea NOT NULL UNIQUE,
        scopes text[] NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3)
      )`);
    await runner.query(
      `CREATE INDEX oauth_token_families_authorization_idx ON oauth_token_families (authorization_id)`,
    );
    await runner.query(`CREATE INDEX oauth_token_families_expiry_idx ON oauth_token_families (expires_at)`);
    await runner.query(`
      CREATE TABLE oauth_access_tokens (
        hash bytea PRIMARY KEY,
        family_id text COLLATE "C" NOT NULL REFERENCES oauth_token_families ON DELETE CASCADE,
        scopes text[] NOT NULL,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX oauth_access_tokens_family_idx ON oauth_access_tokens (family_id)`);
    await runner.query(`CREATE INDEX oauth_access_tokens_expiry_idx ON oauth_access_tokens (expires_at)`);
    await runner.query(`
      CREATE TABLE oauth_refresh_tokens (
        hash bytea PRIMARY KEY,
        family_id text COLLATE "C" NOT NULL REFERENCES oauth_token_families ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        rotated_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX oauth_refresh_tokens_family_idx ON oauth_refresh_tokens (family_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE oauth_refresh_tokens`);
    await runner.query(`DROP TABLE oauth_access_tokens`);
    await runner.query(`DROP TABLE oauth_token_families`);
    await runner.query(`DROP TABLE oauth_codes`);
    await runner.query(`DROP TABLE oauth_requests`);
  }
}

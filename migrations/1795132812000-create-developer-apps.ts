import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Third-party apps, their secrets, and which accounts have authorized them. */
export class CreateDeveloperApps1795132812000 implements MigrationInterface {
  name = 'CreateDeveloperApps1795132812000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE developer_apps (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        name text NOT NULL,
        description text,
        homepage_url text,
        redirect_uris text[] NOT NULL,
        state text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL
      )`);
    await runner.query(
      `CREATE INDEX developer_apps_account_idx ON developer_apps (account_id, created_at, id)`,
    );
    await runner.query(`
      CREATE TABLE developer_app_secrets (
        id text COLLATE "C" PRIMARY KEY,
        app_id text COLLATE "C" NOT NULL REFERENCES developer_apps ON DELETE CASCADE,
        hash bytea NOT NULL,
        last4 text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3),
        last_used_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX developer_app_secrets_app_idx ON developer_app_secrets (app_id)`);
    await runner.query(`CREATE INDEX developer_app_secrets_expiry_idx ON developer_app_secrets (expires_at)`);
    await runner.query(`
      CREATE TABLE app_authorizations (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        app_id text COLLATE "C" NOT NULL REFERENCES developer_apps ON DELETE CASCADE,
        scopes text[] NOT NULL,
        created_at timestamptz(3) NOT NULL,
        last_used_at timestamptz(3),
        UNIQUE (account_id, app_id)
      )`);
    await runner.query(
      `CREATE INDEX app_authorizations_account_idx ON app_authorizations (account_id, created_at, id)`,
    );
    await runner.query(`CREATE INDEX app_authorizations_app_idx ON app_authorizations (app_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE app_authorizations`);
    await runner.query(`DROP TABLE developer_app_secrets`);
    await runner.query(`DROP TABLE developer_apps`);
  }
}

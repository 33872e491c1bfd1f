import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids are text in byte order (COLLATE "C"), so that they sort as they were made whatever the database's locale. */
export class CreateAccountsAndDevices1795132800000 implements MigrationInterface {
  name = 'CreateAccountsAndDevices1795132800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE accounts (
        id text COLLATE "C" PRIMARY KEY,
        username text NOT NULL CONSTRAINT accounts_username_key UNIQUE,
        content_public_key jsonb NOT NULL,
        content_key_version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE invitations (
        code_hash bytea PRIMARY KEY,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        used_at timestamptz(3),
        account_id text COLLATE "C" REFERENCES accounts ON DELETE SET NULL
      )`);
    await runner.query(`
      CREATE TABLE devices (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('account', 'machine')),
        name text NOT NULL,
        platform text NOT NULL,
        public_key jsonb NOT NULL,
        encryption_key jsonb NOT NULL,
        thumbprint text NOT NULL CONSTRAINT devices_thumbprint_key UNIQUE,
        fingerprint text NOT NULL,
        enrollment text,
        online boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL,
        last_seen_at timestamptz(3),
        revoked_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX devices_account_idx ON devices (account_id, created_at, id)`);
    await runner.query(
      `CREATE INDEX devices_revoked_idx ON devices (revoked_at) WHERE revoked_at IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE device_tokens (
        hash bytea PRIMARY KEY,
        device_id text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX device_tokens_device_idx ON device_tokens (device_id)`);
    await runner.query(`CREATE INDEX device_tokens_expiry_idx ON device_tokens (expires_at)`);
    await runner.query(`
      CREATE TABLE used_challenges (
        hash bytea PRIMARY KEY,
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX used_challenges_expiry_idx ON used_challenges (expires_at)`);
    await runner.query(`
      CREATE TABLE pairings (
        id text COLLATE "C" PRIMARY KEY,
        code text NOT NULL CONSTRAINT pairings_code_key UNIQUE,
        kind text NOT NULL CHECK (kind IN ('account', 'machine')),
        name text NOT NULL,
        platform text NOT NULL,
        public_key jsonb NOT NULL,
        encryption_key jsonb NOT NULL,
        thumbprint text NOT NULL,
        fingerprint text NOT NULL,
        address text NOT NULL,
        state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied')),
        account_id text COLLATE "C" REFERENCES accounts ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX pairings_expiry_idx ON pairings (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'pairings',
      'used_challenges',
      'device_tokens',
      'devices',
      'invitations',
      'accounts',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

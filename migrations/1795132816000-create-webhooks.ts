import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions with their lanes, the outbox, deliveries, and the log of their attempts. */
export class CreateWebhooks1795132816000 implements MigrationInterface {
  name = 'CreateWebhooks1795132816000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        url text NOT NULL,
        events text[] NOT NULL,
        description text,
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'disabled')),
        disabled_reason text,
        token_id text COLLATE "C",
        app_id text,
        scopes text[] NOT NULL,
        secret bytea NOT NULL,
        old_secret bytea,
        old_secret_ends_at timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX webhooks_list_idx ON webhooks (account_id, created_at, id)`);
    await runner.query(`
      CREATE TABLE webhook_lanes (
        webhook_id text COLLATE "C" PRIMARY KEY REFERENCES webhooks ON DELETE CASCADE,
        due_at timestamptz(3),
        owner text,
        lease bigint NOT NULL DEFAULT 0,
        leased_until timestamptz(3),
        failures integer NOT NULL DEFAULT 0,
        failing_since timestamptz(3),
        probe_at timestamptz(3),
        last_delivery_at timestamptz(3),
        last_delivery_status integer
      )`);
    await runner.query(
      `CREATE INDEX webhook_lanes_due_idx ON webhook_lanes (due_at) WHERE due_at IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE webhook_outbox (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        type text NOT NULL,
        payload text NOT NULL,
        webhook_ids text[] NOT NULL,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id text COLLATE "C" PRIMARY KEY,
        webhook_id text COLLATE "C" NOT NULL REFERENCES webhook_lanes ON DELETE CASCADE,
        event_id text COLLATE "C" NOT NULL,
        type text NOT NULL,
        payload text NOT NULL,
        state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled')),
        attempts integer NOT NULL DEFAULT 0,
        last_status integer,
        next_attempt_at timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        finished_at timestamptz(3)
      )`);
    await runner.query(
      `CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (webhook_id, next_attempt_at, id)
        WHERE state = 'pending'`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_list_idx ON webhook_deliveries (webhook_id, created_at, id)`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_state_idx ON webhook_deliveries (webhook_id, state, created_at, id)`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_type_idx ON webhook_deliveries (webhook_id, type, created_at, id)`,
    );
    // What is the last delivery of an event.
    await runner.query(
      `CREATE INDEX webhook_deliveries_event_idx ON webhook_deliveries (webhook_id, event_id, id)`,
    );
    // For retention alone; rows lie in the order of their making, and this costs next to nothing to keep.
    await runner.query(
      `CREATE INDEX webhook_deliveries_age_idx ON webhook_deliveries USING brin (created_at)`,
    );
    // Its partitions are days, and made by the service: a week ahead, and dropped after thirty.
    await runner.query(`
      CREATE TABLE webhook_attempts (
        webhook_id text COLLATE "C" NOT NULL REFERENCES webhook_lanes ON DELETE CASCADE,
        delivery_id text COLLATE "C" NOT NULL,
        attempt integer NOT NULL,
        at timestamptz(3) NOT NULL,
        status integer,
        duration_ms integer NOT NULL,
        error text,
        response text,
        PRIMARY KEY (webhook_id, delivery_id, attempt, at)
      ) PARTITION BY RANGE (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE webhook_attempts`);
    await runner.query(`DROP TABLE webhook_deliveries`);
    await runner.query(`DROP TABLE webhook_outbox`);
    await runner.query(`DROP TABLE webhook_lanes`);
    await runner.query(`DROP TABLE webhooks`);
  }
}

import { randomBytes } from 'node:crypto';
import { generateId } from '../../src/common/ids';
import { hashSecretToken, generateSecretToken } from '../../src/common/secret-token';
import type { BenchFixture } from './bench-fixture';

const SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke', 'webhooks:manage', 'usage:read'];

export interface FleetMachine {
  machineId: string;
  deviceId: string;
  /** Device token. */
  token: string;
}

/** An account with a personal access token, machines, and a session that the first machine hosts. */
export interface FleetAccount {
  accountId: string;
  token: string;
  tokenId: string;
  machines: FleetMachine[];
  session: FleetSession;
}

export interface FleetSession {
  id: string;
  tag: string;
  kid: string;
  key: Buffer;
}

/** Inserts accounts into the tables, because sign-ups and pairings would take long. */
export async function insertFleet(
  benchFixture: BenchFixture,
  accounts: number,
  machinesEach: number,
): Promise<FleetAccount[]> {
  const fleet = Array.from({ length: accounts }, () => createFleetAccount(machinesEach));
  await insertFleetAccounts(benchFixture, fleet);
  await insertFleetMachines(benchFixture, fleet);
  await insertFleetTokens(benchFixture, fleet);
  await insertFleetSessions(benchFixture, fleet);
  await benchFixture.query('ANALYZE');
  return fleet;
}

function createFleetAccount(machines: number): FleetAccount {
  return {
    accountId: generateId('acc'),
    token: generateSecretToken('svc_pat_'),
    tokenId: generateId('tok'),
    machines: Array.from({ length: machines }, () => ({
      machineId: generateId('mch'),
      deviceId: generateId('dev'),
      token: generateSecretToken('svc_dev_'),
    })),
    session: {
      id: generateId('ses'),
      tag: randomBytes(8).toString('hex'),
      kid: 'key-1',
      key: randomBytes(32),
    },
  };
}

async function insertFleetAccounts(benchFixture: BenchFixture, fleet: FleetAccount[]): Promise<void> {
  await benchFixture.query(
    `INSERT INTO accounts (id, username, content_public_key, created_at)
     SELECT f.id, f.id, a.content_public_key, now() FROM unnest($2::text[]) f (id), accounts a WHERE a.id = $1`,
    [benchFixture.ada.accountId, fleet.map(({ accountId }) => accountId)],
  );
}

async function insertFleetMachines(benchFixture: BenchFixture, fleet: FleetAccount[]): Promise<void> {
  const machines = fleet.flatMap(({ accountId, machines }) => machines.map((each) => ({ accountId, ...each })));
  const accountIds = machines.map(({ accountId }) => accountId);
  const deviceIds = machines.map(({ deviceId }) => deviceId);
  await benchFixture.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT f.id, f.account_id, 'machine', 'box', 'linux', '{}', '{}', f.id, '', now()
       FROM unnest($1::text[], $2::text[]) f (account_id, id)`,
    [accountIds, deviceIds],
  );
  await benchFixture.query(
    `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
     SELECT f.id, f.account_id, f.device_id, 'box', 'linux', now(), now()
       FROM unnest($1::text[], $2::text[], $3::text[]) f (account_id, device_id, id)`,
    [accountIds, deviceIds, machines.map(({ machineId }) => machineId)],
  );
  await benchFixture.query(
    `INSERT INTO device_tokens (hash, device_id, created_at, expires_at)
     SELECT f.hash, f.device_id, now(), now() + interval '1 day'
       FROM unnest($1::bytea[], $2::text[]) f (hash, device_id)`,
    [machines.map(({ token }) => hashSecretToken(token)), deviceIds],
  );
}

async function insertFleetTokens(benchFixture: BenchFixture, fleet: FleetAccount[]): Promise<void> {
  const tokenIds = fleet.map(({ tokenId }) => tokenId);
  await benchFixture.query(
    `INSERT INTO external_tokens (id, account_id, name, scopes, created_at)
     SELECT f.id, f.account_id, 'a token', $3, now() FROM unnest($1::text[], $2::text[]) f (id, account_id)`,
    [tokenIds, fleet.map(({ accountId }) => accountId), SCOPES],
  );
  await benchFixture.query(
    `INSERT INTO external_token_secrets (hash, token_id, prefix, last4, created_at)
     SELECT f.hash, f.token_id, 'svc_pat_', '0000', now() FROM unnest($1::bytea[], $2::text[]) f (hash, token_id)`,
    [fleet.map(({ token }) => hashSecretToken(token)), tokenIds],
  );
}

async function insertFleetSessions(benchFixture: BenchFixture, fleet: FleetAccount[]): Promise<void> {
  await benchFixture.query(
    `INSERT INTO sessions (id, account_id, tag, host_device_id, machine_id, data_key_id, sealed_data_key,
                           created_at, updated_at, last_active_at)
     SELECT f.id, f.account_id, f.tag, f.device_id, f.machine_id, 'key-1', $6, now(), now(), now()
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
            f (id, account_id, tag, device_id, machine_id)`,
    [
      fleet.map(({ session }) => session.id),
      fleet.map(({ accountId }) => accountId),
      fleet.map(({ session }) => session.tag),
      fleet.map(({ machines }) => machines[0]!.deviceId),
      fleet.map(({ machines }) => machines[0]!.machineId),
      benchFixture.ada.createDataKey().sealed,
    ],
  );
}

import { generateId } from '../../src/common/ids';
import { hashSecretToken, generateSecretToken } from '../../src/common/secret-token';
import type { BenchFixture } from './bench-fixture';

export interface BenchMachine {
  machineId: string;
  /** Device token. */
  token: string;
}

/** Inserts machines with signed-in devices into the tables, because pairing each would take long. */
export async function insertSignedInMachines(benchFixture: BenchFixture, count: number): Promise<BenchMachine[]> {
  const machines = Array.from({ length: count }, () => ({
    machineId: generateId('mch'),
    deviceId: generateId('dev'),
    token: generateSecretToken('svc_dev_'),
  }));
  const deviceIds = machines.map(({ deviceId }) => deviceId);
  await benchFixture.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT id, $1, 'machine', 'box', 'linux', '{}', '{}', id, '', now() FROM unnest($2::text[]) id`,
    [benchFixture.ada.accountId, deviceIds],
  );
  await benchFixture.query(
    `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
     SELECT m.id, $1, m.device_id, 'box', 'linux', now(), now() FROM unnest($2::text[], $3::text[]) m (id, device_id)`,
    [benchFixture.ada.accountId, machines.map(({ machineId }) => machineId), deviceIds],
  );
  await benchFixture.query(
    `INSERT INTO device_tokens (hash, device_id, created_at, expires_at)
     SELECT t.hash, t.device_id, now(), now() + interval '1 day'
       FROM unnest($1::bytea[], $2::text[]) t (hash, device_id)`,
    [machines.map(({ token }) => hashSecretToken(token)), deviceIds],
  );
  return machines;
}

import { newId } from '../../src/common/ids';
import { hashToken, mintToken } from '../../src/common/secret-token';
import type { Scene } from './scene';

export interface BenchMachine {
  machineId: string;
  /** Its device's. */
  token: string;
}

/** Machines of the account with signed-in devices, put straight into the tables: pairing each would take its time. */
export async function insertSignedInMachines(scene: Scene, count: number): Promise<BenchMachine[]> {
  const machines = Array.from({ length: count }, () => ({
    machineId: newId('mch'),
    deviceId: newId('dev'),
    token: mintToken('svc_dev_'),
  }));
  const deviceIds = machines.map(({ deviceId }) => deviceId);
  await scene.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT id, $1, 'machine', 'box', 'linux', '{}', '{}', id, '', now() FROM unnest($2::text[]) id`,
    [scene.ada.accountId, deviceIds],
  );
  await scene.query(
    `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
     SELECT m.id, $1, m.device_id, 'box', 'linux', now(), now() FROM unnest($2::text[], $3::text[]) m (id, device_id)`,
    [scene.ada.accountId, machines.map(({ machineId }) => machineId), deviceIds],
  );
  await scene.query(
    `INSERT INTO device_tokens (hash, device_id, created_at, expires_at)
     SELECT t.hash, t.device_id, now(), now() + interval '1 day' FROM unnest($1::bytea[], $2::text[]) t (hash, device_id)`,
    [machines.map(({ token }) => hashToken(token)), deviceIds],
  );
  return machines;
}

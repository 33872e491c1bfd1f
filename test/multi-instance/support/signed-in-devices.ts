import { generateId } from '../../../src/common/ids';
import { generateSecretToken, hashSecretToken } from '../../../src/common/secret-token';
import type { TestDatabase } from '../../support/postgres';

export interface SignedInDevice {
  id: string;
  token: string;
  /** Id of the machine, if the device is one. */
  machineId: string;
}

/** Inserts signed-in devices into the tables, because pairing each would take long. */
export async function insertSignedInDevices(
  testDatabase: TestDatabase,
  accountId: string,
  kind: 'account' | 'machine',
  count: number,
): Promise<SignedInDevice[]> {
  const devices = Array.from({ length: count }, () => ({
    id: generateId('dev'),
    token: generateSecretToken('svc_dev_'),
    machineId: generateId('mch'),
  }));
  const ids = devices.map(({ id }) => id);
  await testDatabase.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint, fingerprint,
                          created_at)
     SELECT id, $1, $2, 'box', 'linux', '{}', '{}', id, '', now() FROM unnest($3::text[]) id`,
    [accountId, kind, ids],
  );
  await testDatabase.query(
    `INSERT INTO device_tokens (hash, device_id, created_at, expires_at)
     SELECT t.hash, t.device_id, now(), now() + interval '1 day'
       FROM unnest($1::bytea[], $2::text[]) t (hash, device_id)`,
    [devices.map(({ token }) => hashSecretToken(token)), ids],
  );
  if (kind === 'machine') {
    await testDatabase.query(
      `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
       SELECT m.id, $1, m.device_id, 'box', 'linux', now(), now()
         FROM unnest($2::text[], $3::text[]) m (id, device_id)`,
      [accountId, devices.map(({ machineId }) => machineId), ids],
    );
  }
  return devices;
}

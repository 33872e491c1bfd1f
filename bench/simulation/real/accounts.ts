import { newId } from '../../../src/common/ids';
import { hashToken, mintToken } from '../../../src/common/secret-token';
import type { Scene } from '../../support/scene';

/** Accounts of one signed-in machine each, put straight into the tables. @returns the tokens of their devices */
export async function insertAccounts(scene: Scene, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({
    account: newId('acc'),
    device: newId('dev'),
    machine: newId('mch'),
    token: mintToken('svc_dev_'),
  }));
  const accounts = rows.map(({ account }) => account);
  const devices = rows.map(({ device }) => device);
  await scene.query(
    `INSERT INTO accounts (id, username, content_public_key, created_at)
     SELECT id, id, '{}', now() FROM unnest($1::text[]) id`,
    [accounts],
  );
  await scene.query(
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT d.id, d.account_id, 'machine', 'box', 'linux', '{}', '{}', d.id, '', now()
       FROM unnest($1::text[], $2::text[]) d (account_id, id)`,
    [accounts, devices],
  );
  await scene.query(
    `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
     SELECT m.id, m.account_id, m.device_id, 'box', 'linux', now(), now()
       FROM unnest($1::text[], $2::text[], $3::text[]) m (id, account_id, device_id)`,
    [rows.map(({ machine }) => machine), accounts, devices],
  );
  await scene.query(
    `INSERT INTO device_tokens (hash, device_id, created_at, expires_at)
     SELECT t.hash, t.device_id, now(), now() + interval '1 day' FROM unnest($1::bytea[], $2::text[]) t (hash, device_id)`,
    [rows.map(({ token }) => hashToken(token)), devices],
  );
  return rows.map(({ token }) => token);
}

import type { EncryptionKey } from '../../wire';
import type { Data, KeyGrantRecord } from '../api-records';
import { octJwk, type DataKey } from '../content/data-key';
import { sealJson } from '../content/sealing';
import { parsePublicKey } from '../keys';
import type { SignedInDevice } from '../signed-in-device';
import type { RecipientKey } from './recipient';

/** What can be granted: a session or an artifact. */
export interface Resource {
  object: 'session' | 'artifact';
  id: string;
}

export interface GrantOptions {
  /** Absent: the service, which then reads on behalf of those that the grant covers. */
  recipient?: RecipientKey;
  /** At most one of these two; with neither it covers the account's personal access tokens. */
  tokenId?: string;
  appId?: string;
  /** Unix ms; absent: until it is revoked */
  expiresAt?: number;
}

/**
 * Lets a caller of the External API read a session or an artifact (encryption.md, Key grants). The same grant again is
 * the standing one.
 * @throws ApiError 422 `grant_key_mismatch`, 400 for a token or an app that it cannot be for
 */
export async function grantKey(
  device: SignedInDevice,
  resource: Resource,
  dataKey: DataKey,
  options: GrantOptions,
): Promise<KeyGrantRecord> {
  const { recipient, tokenId, appId, expiresAt } = options;
  const sealedKey = recipient
    ? await sealJson(octJwk(dataKey), recipient, recipient.kid)
    : await sealForService(device, resource, dataKey, options);
  const body = { recipient: recipient ?? 'service', sealedKey, tokenId, appId, expiresAt };
  return (await device.call<Data<KeyGrantRecord>>('POST', grantsPath(resource), body)).data;
}

export function keyGrants(device: SignedInDevice, resource: Resource): Promise<KeyGrantRecord[]> {
  return device.all<KeyGrantRecord>(grantsPath(resource));
}

export async function revokeKeyGrant(device: SignedInDevice, resource: Resource, grantId: string): Promise<void> {
  await device.call('DELETE', `${grantsPath(resource)}/${encodeURIComponent(grantId)}`);
}

/** The payload says all that the grant is for, so that a copy of it opens nothing elsewhere. */
async function sealForService(
  device: SignedInDevice,
  { object, id }: Resource,
  dataKey: DataKey,
  { tokenId, appId, expiresAt }: GrantOptions,
): Promise<string> {
  const { data } = await device.call<Data<{ kid: string; publicKey: EncryptionKey }>>(
    'GET',
    '/v1/key-grants/recipient',
  );
  const payload = {
    key: octJwk(dataKey),
    aud: device.service.audience,
    accountId: device.state.account?.id,
    sessionId: object === 'session' ? id : null,
    artifactId: object === 'artifact' ? id : null,
    tokenId: tokenId ?? null,
    appId: appId ?? null,
    expiresAt: expiresAt ?? null,
  };
  return sealJson(payload, parsePublicKey(data.publicKey, 'X25519'), data.kid);
}

const grantsPath = ({ object, id }: Resource): string => `/v1/${object}s/${encodeURIComponent(id)}/key-grants`;

import {
  buildServiceGrantPayload,
  getKeyGrantsPath,
  sealJson,
  toOctJwk,
  type DataKey,
  type EncryptionKey,
  type GrantableResource,
  type KeyGrantTerms,
  type RecipientPublicKey,
} from '@external-api/protocol';
import type { DataEnvelope, KeyGrantResource } from '../api-resources';
import { parsePublicKey } from '../keys';
import type { SignedInDevice } from '../signed-in-device';

export interface KeyGrantOptions extends KeyGrantTerms {
  /** Default: the service, which then decrypts for the callers that the grant covers. */
  recipient?: RecipientPublicKey;
}

/**
 * Grants callers of the External API read access to a session or an artifact (docs/protocol/encryption.md#key-grants).
 * Returns the existing grant when an identical one is active.
 * @throws ApiResponseError 422 `grant_key_mismatch`, 400 for a token or an app that can't be granted to
 */
export async function createKeyGrant(
  device: SignedInDevice,
  grantableResource: GrantableResource,
  dataKey: DataKey,
  options: KeyGrantOptions,
): Promise<KeyGrantResource> {
  const { recipient, tokenId, appId, expiresAt } = options;
  const sealedKey = recipient
    ? await sealJson(toOctJwk(dataKey), recipient, recipient.kid)
    : await sealForService(device, grantableResource, dataKey, options);
  const body = { recipient: recipient ?? 'service', sealedKey, tokenId, appId, expiresAt };
  return (await device.callApi<DataEnvelope<KeyGrantResource>>('POST', getKeyGrantsPath(grantableResource), body)).data;
}

export function listKeyGrants(
  device: SignedInDevice,
  grantableResource: GrantableResource,
): Promise<KeyGrantResource[]> {
  return device.listItems<KeyGrantResource>(getKeyGrantsPath(grantableResource));
}

export async function revokeKeyGrant(
  device: SignedInDevice,
  grantableResource: GrantableResource,
  grantId: string,
): Promise<void> {
  await device.callApi('DELETE', `${getKeyGrantsPath(grantableResource)}/${encodeURIComponent(grantId)}`);
}

async function sealForService(
  device: SignedInDevice,
  grantableResource: GrantableResource,
  dataKey: DataKey,
  terms: KeyGrantTerms,
): Promise<string> {
  const { data } = await device.callApi<DataEnvelope<{ kid: string; publicKey: EncryptionKey }>>(
    'GET',
    '/v1/key-grants/recipient',
  );
  const place = { aud: device.remoteService.audience, accountId: device.state.account!.id };
  const payload = buildServiceGrantPayload(place, grantableResource, dataKey, terms);
  return sealJson(payload, parsePublicKey(data.publicKey, 'X25519'), data.kid);
}

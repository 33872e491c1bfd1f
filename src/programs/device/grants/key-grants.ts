import type { EncryptionKey } from '../../../protocol';
import type { DataEnvelope, KeyGrantResource } from '../api-resources';
import { toOctJwk, type DataKey } from '../content/data-key';
import { sealJson } from '../content/sealing';
import { parsePublicKey } from '../keys';
import type { SignedInDevice } from '../signed-in-device';
import type { RecipientPublicKey } from './recipient-public-key';

/** A session or an artifact, whose content can be granted. */
export interface GrantableResource {
  object: 'session' | 'artifact';
  id: string;
}

export interface KeyGrantOptions {
  /** Default: the service, which then decrypts for the callers that the grant covers. */
  recipient?: RecipientPublicKey;
  /** At most one of `tokenId` and `appId`. With neither, the grant covers all personal access tokens. */
  tokenId?: string;
  appId?: string;
  /** Unix ms. Default: the grant does not expire. */
  expiresAt?: number;
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

/** Builds the payload. It names everything that the grant covers, so that a copy is useless for other content. */
async function sealForService(
  device: SignedInDevice,
  { object, id }: GrantableResource,
  dataKey: DataKey,
  { tokenId, appId, expiresAt }: KeyGrantOptions,
): Promise<string> {
  const { data } = await device.callApi<DataEnvelope<{ kid: string; publicKey: EncryptionKey }>>(
    'GET',
    '/v1/key-grants/recipient',
  );
  const payload = {
    key: toOctJwk(dataKey),
    aud: device.remoteService.audience,
    accountId: device.state.account?.id,
    sessionId: object === 'session' ? id : null,
    artifactId: object === 'artifact' ? id : null,
    tokenId: tokenId ?? null,
    appId: appId ?? null,
    expiresAt: expiresAt ?? null,
  };
  return sealJson(payload, parsePublicKey(data.publicKey, 'X25519'), data.kid);
}

const getKeyGrantsPath = ({ object, id }: GrantableResource): string =>
  `/v1/${object}s/${encodeURIComponent(id)}/key-grants`;

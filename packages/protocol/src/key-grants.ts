import { toOctJwk, type DataKey } from './data-key';

/** A session or an artifact, whose content can be granted. */
export interface GrantableResource {
  object: 'session' | 'artifact';
  id: string;
}

/** Whom a grant covers, and how long. With neither token nor app, it covers all personal access tokens. */
export interface KeyGrantTerms {
  /** At most one of `tokenId` and `appId`. */
  tokenId?: string;
  appId?: string;
  /** Unix ms. Default: the grant does not expire. */
  expiresAt?: number;
}

/**
 * Builds the payload that is sealed to the service (docs/protocol/encryption.md#key-grants). It names everything that
 * the grant covers, so that a copy is useless for other content.
 * @param place `aud` is the configured address of the host, which is not always the address in use
 */
export function buildServiceGrantPayload(
  place: { aud: string; accountId: string },
  { object, id }: GrantableResource,
  dataKey: DataKey,
  { tokenId, appId, expiresAt }: KeyGrantTerms,
) {
  return {
    key: toOctJwk(dataKey),
    aud: place.aud,
    accountId: place.accountId,
    sessionId: object === 'session' ? id : null,
    artifactId: object === 'artifact' ? id : null,
    tokenId: tokenId ?? null,
    appId: appId ?? null,
    expiresAt: expiresAt ?? null,
  };
}

export const getKeyGrantsPath = ({ object, id }: GrantableResource): string =>
  `/v1/${object}s/${encodeURIComponent(id)}/key-grants`;

import { callService } from './api-client';
import { enrollDevice } from './enrollment';
import { proveKeys, type SignedInAccount } from './identity';
import { getPublicJwks, type BrowserKeyPair, type BrowserKeys, type PrivateJwk } from './keys';

/** Name and platform of a device, as the account's other devices see it. */
export interface DeviceDescription {
  name: string;
  platform: string;
}

export interface RequestedPairing {
  id: string;
  code: string;
  /** Unix ms */
  expiresAt: number;
}

export interface PairingProgress {
  state: 'pending' | 'approved' | 'denied' | 'expired';
  accountUsername: string | null;
}

/** A signed-in device. */
export interface Approver {
  token: string;
  account: SignedInAccount;
  contentKey: PrivateJwk<'X25519'>;
  signing: BrowserKeyPair<'Ed25519'>;
}

/** Requests a pairing as an account device. */
export async function requestBrowserPairing(
  keys: BrowserKeys,
  description: DeviceDescription,
): Promise<RequestedPairing> {
  const body = { ...getPublicJwks(keys), kind: 'account', ...description, ...(await proveKeys(keys, 'both')) };
  return callService('POST', '/v1/pairings', { body });
}

export function fetchPairingProgress(id: string): Promise<PairingProgress> {
  return callService('GET', `/v1/pairings/${encodeURIComponent(id)}`);
}

/** Adds keys generated in this browser to the account. No fingerprint comparison is needed. */
export async function adoptKeys(
  { token, account, contentKey, signing }: Approver,
  keys: BrowserKeys,
  description: DeviceDescription,
): Promise<void> {
  const { code } = await requestBrowserPairing(keys, description);
  const enrollment = await enrollDevice(account, contentKey, signing, { kind: 'account', ...getPublicJwks(keys) });
  await callService('POST', `/v1/pairings/code/${encodeURIComponent(code)}/approve`, { token, body: { enrollment } });
}

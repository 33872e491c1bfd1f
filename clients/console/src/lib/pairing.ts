import type { DeviceRecords } from '@external-api/protocol/portable';
import { callService } from './api-client';
import { listKnownDevices } from './device-store';
import { enrollDevice, type EnrolledDevice } from './enrollment';
import { proveKeys, type SignedInAccount } from './identity';
import { getPublicJwks, type BrowserKeyPair, type BrowserKeys, type PrivateJwk } from './keys';
import { unsealContentKey } from './sealed-key';

/** Name and platform of a device, as the account's other devices see it. */
export interface DeviceDescription {
  name: string;
  platform: string;
}

/** Device on paper. */
export const PAPER: DeviceDescription = { name: 'Recovery key', platform: 'paper' };

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
): Promise<DeviceRecords.Pairing> {
  const body = { ...getPublicJwks(keys), kind: 'account', ...description, ...(await proveKeys(keys, 'both')) };
  return callService('POST', '/v1/pairings', { body });
}

export function fetchPairingProgress(id: string): Promise<DeviceRecords.PairingStatus> {
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
  const path = `/v1/pairings/code/${encodeURIComponent(code)}/approve`;
  await callService('POST', path, { token, body: { enrollment }, hasNoResult: true });
}

/** Signs the enrollment of a device as this browser. @throws Error if the browser has no keys of the account */
export async function signOwnEnrollment(
  account: { id: string; contentKeyVersion: number },
  device: EnrolledDevice,
): Promise<string> {
  const own = (await listKnownDevices()).find(({ accountId }) => accountId === account.id);
  if (!own)
    throw new Error('This browser no longer has its keys. Approve the device with another one of your devices.');
  const contentKey = await unsealContentKey(own.sealedContentKey, own.keys.encryption, own.contentPublicKey);
  return enrollDevice(account, contentKey, own.keys.signing, device);
}

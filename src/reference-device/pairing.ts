import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, DeviceRefusedError, isTransient } from './api-error';
import type { Data, DeviceKind, PairingCreated, PairingStatus } from './api-records';
import { proveKeys } from './identity';
import { publicKeys, type DeviceKeys } from './keys';
import type { Service } from './signed-in-device';

export const POLL_INTERVAL_MS = 2000;

/** A new device asks to join an account (device-api.md, `POST /v1/pairings`). */
export async function requestPairing(
  { http, audience }: Service,
  keys: DeviceKeys,
  about: { kind: DeviceKind; name: string; platform: string },
): Promise<PairingCreated> {
  const proof = await proveKeys(http, audience, keys, 'both');
  const body = { ...publicKeys(keys), ...about, ...proof };
  return (await http.request<Data<PairingCreated>>('POST', '/v1/pairings', { body })).data;
}

/** Where a pairing stands; `pending` also when the service cannot say right now. */
export async function pairingStatus(
  { http }: Service,
  pairingId: string,
  signal?: AbortSignal,
): Promise<PairingStatus> {
  const path = `/v1/pairings/${encodeURIComponent(pairingId)}`;
  try {
    return (await http.request<Data<PairingStatus>>('GET', path)).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { state: 'expired', accountUsername: null };
    if (!isTransient(error)) throw error;
    if (error instanceof ApiError) await sleep(error.retryAfterMs ?? 0, undefined, { signal });
    return { state: 'pending', accountUsername: null };
  }
}

/**
 * Asks until the pairing is decided.
 * @returns the username of the account that adopted the device
 * @throws DeviceRefusedError when denied or expired; AbortError
 */
export async function awaitApproval(
  service: Service,
  pairingId: string,
  { intervalMs = POLL_INTERVAL_MS, signal }: { intervalMs?: number; signal?: AbortSignal } = {},
): Promise<string> {
  for (;;) {
    const { state, accountUsername } = await pairingStatus(service, pairingId, signal);
    if (state === 'approved' && accountUsername) return accountUsername;
    if (state === 'denied') throw new DeviceRefusedError('The pairing was denied.');
    if (state === 'expired') throw new DeviceRefusedError('The pairing code has expired.');
    await sleep(intervalMs, undefined, { signal });
  }
}

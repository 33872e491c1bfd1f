import { setTimeout as sleep } from 'node:timers/promises';
import { ApiResponseError, DeviceRejectedError } from './client-errors';
import type { DataEnvelope, ClientDeviceKind, CreatedPairing, PairingStatus } from './api-resources';
import { createKeyProof } from './key-proof';
import { getPublicKeys, type DeviceKeys } from './keys';
import { retryUntilAborted, type RetryOptions } from './machine/retry';
import type { RemoteService } from './signed-in-device';

export const PAIRING_POLL_INTERVAL_MS = 2000;

/** Requests a pairing for a new device (docs/protocol/device-api.md#pairing). */
export async function requestPairing(
  { http, audience }: RemoteService,
  keys: DeviceKeys,
  description: { kind: ClientDeviceKind; name: string; platform: string },
): Promise<CreatedPairing> {
  const keyProof = await createKeyProof(http, audience, keys, 'both');
  const body = { ...getPublicKeys(keys), ...description, ...keyProof };
  return (await http.sendRequest<DataEnvelope<CreatedPairing>>('POST', '/v1/pairings', { body })).data;
}

/** Returns the state of a pairing. @throws ApiResponseError, UnreachableError */
export async function getPairingStatus({ http }: RemoteService, pairingId: string): Promise<PairingStatus> {
  const path = `/v1/pairings/${encodeURIComponent(pairingId)}`;
  try {
    return (await http.sendRequest<DataEnvelope<PairingStatus>>('GET', path)).data;
  } catch (error) {
    if (error instanceof ApiResponseError && error.code === 'not_found')
      return { state: 'expired', accountUsername: null };
    throw error;
  }
}

/**
 * Polls until the pairing is decided, also after transient errors.
 * @returns the username of the account that approved the device
 * @throws DeviceRejectedError when denied or expired; AbortError
 */
export async function waitForApproval(
  remoteService: RemoteService,
  pairingId: string,
  { intervalMs = PAIRING_POLL_INTERVAL_MS, ...retries }: { intervalMs?: number } & RetryOptions,
): Promise<string> {
  const { backoff, signal } = retries;
  for (;;) {
    const { state, accountUsername } = await retryUntilAborted(
      () => getPairingStatus(remoteService, pairingId),
      retries,
    );
    backoff.resetDelay();
    if (state === 'approved' && accountUsername) return accountUsername;
    if (state === 'denied') throw new DeviceRejectedError('The pairing was denied.');
    if (state === 'expired') throw new DeviceRejectedError('The pairing code has expired.');
    await sleep(intervalMs, undefined, { signal });
  }
}

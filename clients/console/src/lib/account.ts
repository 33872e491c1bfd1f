import { ServiceError, callService } from './api-client';
import {
  type KnownDevice,
  type PendingSignUp,
  forgetSignUp,
  keepDevice,
  keepSignUp,
  listPendingSignUps,
} from './device-store';
import { openEnrollment } from './enrollment';
import { type DeviceSignIn, isUnknownDevice, proveKeys, signInDevice } from './identity';
import { type BrowserKeys, generateBrowserKeys, getPublicJwks, toPublicJwk } from './keys';
import { type Approver, type DeviceDescription, adoptKeys, PAPER } from './pairing';
import { importRecoveryKeys } from './recovery-key';
import { generateContentJwk, sealContentKey, unsealContentKey } from './sealed-key';

/** Far longer than a challenge is valid: an older request can no longer create the account. */
const STALE_MS = 86_400_000;

/** The account exists, but this recovery key belongs to another account: the user has to confirm a new key. */
export class RecoveryKeyError extends Error {
  constructor(username: string) {
    super(
      `The account ${username} was created, but the recovery key belongs to another account. ` +
        `Create the account again under the same name to confirm a different key.`,
    );
  }
}

export interface SignUpRequest {
  username: string;
  invitation?: string;
  /** Describes this browser. */
  about: DeviceDescription;
  recoveryKey: string;
}

/**
 * Creates an account with this browser as its first device and the recovery key as its second. After a failure, a call
 * with the same name resumes, even on another page or with another recovery key.
 * @throws ServiceError 409 for a taken name, 403 where sign-up is closed
 * @throws RecoveryKeyError
 */
export async function signUpBrowser(request: SignUpRequest): Promise<KnownDevice> {
  const { begun, isRetry } = await beginSignUp(request.username, request.recoveryKey);
  // The earlier attempt may have created this account and used its invitation.
  const created = isRetry ? await signInIfDevice(begun.keys) : null;
  return finishSignUp(begun, created ?? (await createAccount(request, begun)));
}

/** @throws Error if the username is taken, ServiceError 403 where sign-up is closed */
export async function requireAvailableUsername(username: string, invitation: string | undefined): Promise<void> {
  // An earlier attempt of this browser may have created the account, and continues.
  if ((await listPendingSignUps()).some((begun) => begun.username === username)) return;
  const body = { username, invitation };
  const { available } = await callService<{ available: boolean }>('POST', '/v1/accounts/check-username', { body });
  if (!available) throw new Error(`The username "${username}" is taken.`);
}

/**
 * Completes sign-ups whose page was closed before the response arrived.
 * @returns one device for each account that had been created
 * @throws ServiceError, UnreachableError or RecoveryKeyError if none could be completed and one failed
 */
export async function resumeSignUps(): Promise<KnownDevice[]> {
  const outcomes = await Promise.allSettled((await listPendingSignUps()).map(resumeSignUp));
  const devices = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : [],
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed && devices.length === 0) throw failed.reason as Error;
  return devices;
}

async function resumeSignUp(begun: PendingSignUp): Promise<KnownDevice | undefined> {
  const signedIn = await signInIfDevice(begun.keys);
  if (signedIn) return finishSignUp(begun, signedIn);
  await forgetIfStale(begun);
  return undefined;
}

async function createAccount(
  { username, invitation, about }: SignUpRequest,
  { keys, contentPublicKey }: PendingSignUp,
): Promise<Pick<DeviceSignIn, 'token' | 'account'>> {
  const device = { ...getPublicJwks(keys), ...about };
  const proof = await proveKeys(keys, 'both');
  try {
    return await callService('POST', '/v1/accounts', {
      body: { username, invitation, device, contentPublicKey, ...proof },
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || ![403, 409].includes(error.status)) throw error;
    // An earlier attempt that was still in flight may have created the account meanwhile.
    const created = await signInIfDevice(keys);
    if (!created) throw error;
    return created;
  }
}

/** Returns null if the service does not know the device. */
async function signInIfDevice(keys: BrowserKeys): Promise<DeviceSignIn | null> {
  try {
    return await signInDevice(keys);
  } catch (error) {
    if (!isUnknownDevice(error)) throw error;
    return null;
  }
}

async function finishSignUp(
  begun: PendingSignUp,
  { token, account }: Pick<DeviceSignIn, 'token' | 'account'>,
): Promise<KnownDevice> {
  const { keys, sealedContentKey, contentPublicKey, recovery } = begun;
  const contentKey = await unsealContentKey(sealedContentKey, keys.encryption, contentPublicKey);
  await adoptRecoveryKey({ token, account, contentKey, signing: keys.signing }, recovery);
  const { id: accountId, username } = account;
  const device = { accountId, username, keys, enrollment: null, sealedContentKey, contentPublicKey };
  await keepDevice(device);
  return device;
}

async function adoptRecoveryKey(approver: Approver, recovery: BrowserKeys): Promise<void> {
  try {
    await adoptKeys(approver, recovery, PAPER);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 409) throw error;
    // The key is a device already: of this account after an earlier attempt, or of another account.
    const paper = await signInIfDevice(recovery);
    if (paper?.account.id !== approver.account.id) throw new RecoveryKeyError(approver.account.username);
    await openEnrollment(paper.enrollment, approver.account.id, recovery);
  }
}

/**
 * Stores everything needed to complete a sign-up before the first request. A retry with the same name reuses the keys,
 * which may already have created the account, with the recovery key confirmed now.
 */
async function beginSignUp(username: string, recoveryKey: string): Promise<{ begun: PendingSignUp; isRetry: boolean }> {
  const recovery = await importRecoveryKeys(recoveryKey);
  const earlier = (await listPendingSignUps()).find((begun) => begun.username === username);
  const begun = { ...(earlier ?? (await prepareSignUp(username))), recovery, triedAt: Date.now() };
  await keepSignUp(begun);
  return { begun, isRetry: earlier !== undefined };
}

/** Deletes a sign-up unknown to the service once no request of it can still be in flight. */
async function forgetIfStale({ username, triedAt }: PendingSignUp): Promise<void> {
  if (Date.now() - triedAt > STALE_MS) await forgetSignUp(username);
}

async function prepareSignUp(username: string) {
  const keys = await generateBrowserKeys();
  const contentKey = await generateContentJwk();
  const sealedContentKey = await sealContentKey(contentKey, keys.encryption.publicJwk);
  return { username, keys, sealedContentKey, contentPublicKey: toPublicJwk(contentKey) };
}

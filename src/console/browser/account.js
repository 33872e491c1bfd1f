import { keepDevice, pendingSignUps } from './device-store.js';
import { verifyEnrollment } from './enrollment.js';
import { isNoDevice, prove, signIn } from './identity.js';
import { publicKeys } from './keys.js';
import { adopt } from './pairing.js';
import { unsealContentKey } from './sealed-key.js';
import { call, ServiceError } from './service.js';
import { beginSignUp, forgetIfStale } from './sign-up-state.js';

/** @import { KnownDevice, PendingSignUp } from './device-store.js' */
/** @import { DeviceKeys } from './keys.js' */
/** @import { Approver } from './pairing.js' */

const PAPER = { name: 'Recovery key', platform: 'paper' };

/** The account is made, and this recovery key is no key to it: another has to be shown and confirmed. */
export class RecoveryKeyError extends Error {
  /** @param {string} username */
  constructor(username) {
    super(
      `The account ${username} was made, but its recovery key is another account’s. ` +
        `Create it once more, under the same name, to confirm another key.`,
    );
  }
}

/**
 * @typedef {object} SignUp
 * @property {string} username
 * @property {string} [invitation]
 * @property {{ name: string, platform: string }} about this browser
 * @property {string} recoveryKey
 */

/**
 * Makes an account with this browser as its first device and the recovery key as its second. After a failure it may be
 * called again with the same name, be it on another page or with another recovery key: it goes on where it was.
 * @param {SignUp} request
 * @returns {Promise<KnownDevice>}
 * @throws {ServiceError} 409 for a taken name, 403 where sign-up is closed
 * @throws {RecoveryKeyError}
 */
export async function signUp(request) {
  const { begun, isRetry } = await beginSignUp(request.username, request.recoveryKey);
  // Its invitation may be spent, and on this very account.
  const made = isRetry ? await signInIfDevice(begun.keys) : null;
  return finishSignUp(begun, made ?? (await createAccount(request, begun)));
}

/**
 * Ends the sign-ups whose page went away before it knew.
 * @returns {Promise<KnownDevice[]>} one for each account that had been made
 * @throws {ServiceError | UnreachableError | RecoveryKeyError} when none could be ended, and one failed
 */
export async function resumeSignUps() {
  const outcomes = await Promise.allSettled((await pendingSignUps()).map(resume));
  const devices = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : [],
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed && devices.length === 0) throw failed.reason;
  return devices;
}

/** @param {PendingSignUp} begun */
async function resume(begun) {
  const signedIn = await signInIfDevice(begun.keys);
  if (signedIn) return finishSignUp(begun, signedIn);
  await forgetIfStale(begun);
  return undefined;
}

/** @param {SignUp} request @param {PendingSignUp} begun */
async function createAccount({ username, invitation, about }, { keys, contentPublicKey }) {
  const device = { ...publicKeys(keys), ...about };
  const proof = await prove(keys, 'both');
  try {
    return await call('POST', '/v1/accounts', {
      body: { username, invitation, device, contentPublicKey, ...proof },
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || ![403, 409].includes(error.status)) throw error;
    // Refused perhaps because an attempt that was still under way has come to its end meanwhile.
    const made = await signInIfDevice(keys);
    if (!made) throw error;
    return made;
  }
}

/**
 * @param {DeviceKeys} keys
 * @returns {Promise<Awaited<ReturnType<typeof signIn>> | null>} null: the service knows no such device
 */
async function signInIfDevice(keys) {
  try {
    return await signIn(keys);
  } catch (error) {
    if (!isNoDevice(error)) throw error;
    return null;
  }
}

/**
 * @param {PendingSignUp} begun
 * @param {{ token: string, account: { id: string, username: string, contentKeyVersion: number } }} signedIn
 * @returns {Promise<KnownDevice>}
 */
async function finishSignUp(begun, { token, account }) {
  const { keys, sealedContentKey, contentPublicKey, recovery } = begun;
  const contentKey = await unsealContentKey(sealedContentKey, keys.encryption, contentPublicKey);
  await adoptRecoveryKey({ token, account, contentKey, signing: keys.signing }, recovery);
  const { id: accountId, username } = account;
  const device = { accountId, username, keys, enrollment: null, sealedContentKey, contentPublicKey };
  await keepDevice(device);
  return device;
}

/** @param {Approver} approver @param {DeviceKeys} recovery */
async function adoptRecoveryKey(approver, recovery) {
  try {
    await adopt(approver, recovery, PAPER);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 409) throw error;
    // A device already: an earlier attempt came as far as this, or it is another account's.
    const paper = await signInIfDevice(recovery);
    if (paper?.account.id !== approver.account.id) throw new RecoveryKeyError(approver.account.username);
    await verifyEnrollment(paper.enrollment, approver.account.id, recovery);
  }
}

import { forgetSignUp, keepDevice } from './device-store.js';
import { EnrollmentError, verifyEnrollment } from './enrollment.js';
import { prove, signIn } from './identity.js';
import { call } from './service.js';

/** @import { KnownDevice } from './device-store.js' */
/** @import { DeviceKeys } from './keys.js' */
/** @typedef {{ account: { id: string, username: string }, enrollment: string | null }} SignedIn */

/**
 * Signs a known device in; the session is a cookie that scripts never see.
 * @param {KnownDevice} device
 * @throws {EnrollmentError} when the service presents another account or enrollment than was pinned
 */
export async function resumeSession({ keys, username, accountId, enrollment }) {
  const pinned = { account: { id: accountId, username }, enrollment };
  requireSame(await signIn(keys), pinned);
  await begin(keys, pinned);
  await forgetSignUp(username);
}

/**
 * Signs a device in for the first time after its approval, and pins what its approver signed.
 * @param {DeviceKeys} keys
 * @param {(account: SignedIn['account']) => boolean} isExpected whether it is the account that the person meant
 * @throws {EnrollmentError}
 */
export async function firstSession(keys, isExpected) {
  const { account, enrollment } = /** @type {SignedIn} */ (await signIn(keys));
  if (!isExpected(account)) throw new EnrollmentError('The service presents another account than was agreed to.');
  const { sealedContentKey, contentPublicKey } = await verifyEnrollment(enrollment, account.id, keys);
  const { id: accountId, username } = account;
  await keepDevice({ accountId, username, keys, enrollment, sealedContentKey, contentPublicKey });
  await begin(keys, { account, enrollment });
}

/**
 * @param {DeviceKeys} keys
 * @param {SignedIn} pinned
 */
async function begin(keys, pinned) {
  const body = { publicKey: keys.signing.publicJwk, ...(await prove(keys, 'signing')) };
  const signedIn = await call('POST', '/console/session', { body });
  try {
    requireSame(signedIn, pinned);
  } catch (error) {
    await call('DELETE', '/console/session').catch(() => {});
    throw error;
  }
}

/**
 * @param {SignedIn} signedIn
 * @param {SignedIn} pinned
 */
function requireSame({ account, enrollment }, pinned) {
  if (account.id === pinned.account.id && enrollment === pinned.enrollment) return;
  throw new EnrollmentError('The service presents another account or enrollment than this browser has pinned.');
}

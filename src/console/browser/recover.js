import { platform, proposeName, withKeys } from './browser.js';
import { forgetPending, keepPending, pending } from './device-store.js';
import { EnrollmentError, verifyEnrollment } from './enrollment.js';
import { isNoDevice, signIn } from './identity.js';
import { generateDeviceKeys, isSameKey } from './keys.js';
import { field, form, leave, onSubmit, persist } from './page.js';
import { adopt } from './pairing.js';
import { recoveryKeys } from './recovery-key.js';
import { unsealContentKey } from './sealed-key.js';
import { ServiceError } from './service.js';
import { firstSession } from './session.js';

/** @import { PublicJwk } from './keys.js' */

void withKeys(async () => {
  proposeName(form('recover'));
  form('recover').hidden = false;
});

onSubmit('recover', 'Recovering the account …', async (typed) => {
  persist();
  const approver = await paperDevice(field(typed, 'recovery-key'));
  const keys = await newKeys(approver.signing.publicJwk);
  await adopt(approver, keys, { name: field(typed, 'device-name'), platform }).catch(ifAdopted);
  await firstSession(keys, ({ id }) => id === approver.account.id).catch(giveUp);
  await forgetPending('recovery');
  leave();
});

/**
 * Keys that are kept before the account knows them; again by the same recovery key, the same.
 * @param {PublicJwk} by
 */
async function newKeys(by) {
  const earlier = await pending('recovery');
  if (earlier && isSameKey(earlier.by, by)) return earlier.keys;
  const keys = await generateDeviceKeys();
  await keepPending({ kind: 'recovery', by, keys });
  return keys;
}

/**
 * A device already: an earlier attempt came as far as this.
 * @param {unknown} error
 */
function ifAdopted(error) {
  if (!(error instanceof ServiceError) || error.status !== 409) throw error;
}

/**
 * The recovery key as the signed-in device that it is.
 * @param {string} recoveryKey
 */
async function paperDevice(recoveryKey) {
  const keys = await recoveryKeys(recoveryKey);
  const { token, account, enrollment } = await signIn(keys).catch(explain);
  const { sealedContentKey, contentPublicKey } = await verifyEnrollment(enrollment, account.id, keys);
  const contentKey = await unsealContentKey(sealedContentKey, keys.encryption, contentPublicKey);
  return { token, account, contentKey, signing: keys.signing };
}

/**
 * Keys that are no good for this account are not tried again.
 * @param {unknown} error
 */
async function giveUp(error) {
  if (error instanceof EnrollmentError || isNoDevice(error)) await forgetPending('recovery');
  throw error;
}

/** @param {unknown} error @returns {never} */
function explain(error) {
  if (!(error instanceof ServiceError) || error.status !== 401) throw error;
  throw new Error(
    error.reason === 'revoked' ? 'This recovery key was revoked.' : 'No account here has this recovery key.',
  );
}

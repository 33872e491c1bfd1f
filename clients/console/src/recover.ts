import { isSameKey, type SigningKey } from '@external-api/protocol/portable';
import { BROWSER_PLATFORM, fillDeviceName, withKeys } from './lib/browser-support';
import { findPending, forgetPending, keepPending } from './lib/device-store';
import { BrowserEnrollmentError, openEnrollment } from './lib/enrollment';
import { isUnknownDevice, signInDevice } from './lib/identity';
import { generateBrowserKeys, type BrowserKeys } from './lib/keys';
import { getFieldText, getForm, leavePage, onSubmit, requestPersistentStorage } from './lib/form-page';
import { adoptKeys, type Approver } from './lib/pairing';
import { importRecoveryKeys } from './lib/recovery-key';
import { unsealContentKey } from './lib/sealed-key';
import { ServiceError } from './lib/api-client';
import { beginFirstLogin } from './lib/login';

void withKeys(() => {
  fillDeviceName(getForm('recover'));
  getForm('recover').hidden = false;
});

onSubmit('recover', 'Recovering the account …', async (typed) => {
  requestPersistentStorage();
  const approver = await signInPaperDevice(getFieldText(typed, 'recovery-key'));
  const keys = await prepareKeys(approver.signing.publicJwk);
  const description = { name: getFieldText(typed, 'device-name'), platform: BROWSER_PLATFORM };
  await adoptKeys(approver, keys, description).catch(ignoreAdopted);
  await beginFirstLogin(keys, ({ id }) => id === approver.account.id).catch(giveUp);
  await forgetPending('recovery');
  leavePage();
});

/** Returns new keys, stored before they are sent. A retry with the same recovery key returns the same keys. */
async function prepareKeys(by: SigningKey): Promise<BrowserKeys> {
  const earlier = await findPending('recovery');
  if (earlier && isSameKey(earlier.by, by)) return earlier.keys;
  const keys = await generateBrowserKeys();
  await keepPending({ kind: 'recovery', by, keys });
  return keys;
}

/** Ignores a 409: an earlier attempt has already added the device. */
function ignoreAdopted(error: unknown): void {
  if (!(error instanceof ServiceError) || error.status !== 409) throw error;
}

/** Signs in as the recovery key's device. */
async function signInPaperDevice(recoveryKey: string): Promise<Approver> {
  const keys = await importRecoveryKeys(recoveryKey);
  const { token, account, enrollment } = await signInDevice(keys).catch(explain);
  const { sealedContentKey, contentPublicKey } = await openEnrollment(enrollment, account.id, keys);
  const contentKey = await unsealContentKey(sealedContentKey, keys.encryption, contentPublicKey);
  return { token, account, contentKey, signing: keys.signing };
}

/** Discards keys that cannot be used for this account. */
async function giveUp(error: unknown): Promise<never> {
  if (error instanceof BrowserEnrollmentError || isUnknownDevice(error)) await forgetPending('recovery');
  throw error;
}

function explain(error: unknown): never {
  if (!(error instanceof ServiceError) || error.status !== 401) throw error;
  throw new Error(
    error.reason === 'revoked' ? 'This recovery key has been revoked.' : 'No account has this recovery key.',
  );
}

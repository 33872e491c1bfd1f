import { isSameKey, type SigningKey } from '@external-api/protocol/portable';
import { BROWSER_PLATFORM, fillDeviceName, withKeys } from './lib/browser-support';
import { keepFocus } from './lib/focus-keeper';
import { findPending, forgetPending, keepPending, listKnownDevices } from './lib/device-store';
import { BrowserEnrollmentError, openEnrollment } from './lib/enrollment';
import { isUnknownDevice, signInDevice } from './lib/identity';
import { generateBrowserKeys, type BrowserKeys } from './lib/keys';
import { getFieldText, getForm, leavePage, onSubmit, requestPersistentStorage, runAction } from './lib/form-page';
import { adoptKeys, type Approver } from './lib/pairing';
import { importRecoveryKeys } from './lib/recovery-key';
import { unsealContentKey } from './lib/sealed-key';
import { ServiceError } from './lib/api-client';
import { beginFirstLogin, resumeLogin } from './lib/login';

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

const linkedKey = takeLinkedKey();
// A link that is opened where the page is open already loads nothing.
addEventListener('hashchange', () => void useLinkedKey(takeLinkedKey()));

keepFocus();
void withKeys(() => {
  fillDeviceName(getForm('recover'));
  getForm('recover').hidden = false;
  return useLinkedKey(linkedKey);
});

onSubmit('recover', 'Recovering the account …', async (typed) => {
  await recoverAccount(await signInPaperDevice(getFieldText(typed, 'recovery-key')));
  await leavePage();
});

/**
 * Returns the recovery key of a link, as the quickstart prints it, and removes it from the address and the history.
 * Only services on this computer have such links: elsewhere, one could sign people in to somebody else's account.
 */
function takeLinkedKey(): string | null {
  const [, key] = /^#key=(.+)/.exec(location.hash) ?? [];
  if (key === undefined) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return LOOPBACK_HOSTS.includes(location.hostname) ? key : null;
}

/** Signs in without a question. A browser that is a device of the account already stays the same one. */
async function useLinkedKey(key: string | null): Promise<void> {
  if (key === null) return;
  await runAction('Signing in …', async () => {
    const approver = await signInPaperDevice(key);
    if (!(await signInKnownBrowser(approver.account.id))) await recoverAccount(approver);
    await leavePage();
  });
}

/** Returns false if this browser is not a device of the account, or no longer is. */
async function signInKnownBrowser(id: string): Promise<boolean> {
  const known = (await listKnownDevices()).find(({ accountId }) => accountId === id);
  if (!known) return false;
  try {
    await resumeLogin(known);
    return true;
  } catch (error) {
    if (!isUnknownDevice(error)) throw error;
    return false;
  }
}

async function recoverAccount(approver: Approver): Promise<void> {
  requestPersistentStorage();
  const keys = await prepareKeys(approver.signing.publicJwk);
  const description = { name: getFieldText(getForm('recover'), 'device-name'), platform: BROWSER_PLATFORM };
  await adoptKeys(approver, keys, description).catch(ignoreAdopted);
  await beginFirstLogin(keys, ({ id }) => id === approver.account.id).catch(giveUp);
  await forgetPending('recovery');
}

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

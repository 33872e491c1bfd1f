import { listKnownDevices } from './lib/device-store';
import { enrollDevice, type EnrolledDevice } from './lib/enrollment';
import { digestFingerprint } from './lib/keys';
import { getElement, runAction, showText } from './lib/form-page';
import { unsealContentKey } from './lib/sealed-key';

interface SignedData extends EnrolledDevice {
  accountId: string;
  contentKeyVersion: number;
}

const signedData = JSON.parse(getElement('card').dataset.signs ?? '') as SignedData;
const { kind, publicKey, encryptionKey, accountId, contentKeyVersion } = signedData;

// Computed from the keys that are signed, instead of trusting the fingerprint in the page.
showText('fingerprint', await digestFingerprint(publicKey, encryptionKey));

addEventListener('submit', (event) => {
  const { target, submitter } = event;
  if (!(target instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return;
  if (submitter.value !== 'approve') return;
  event.preventDefault();
  void runAction('Signing …', async () => {
    const field = target.elements.namedItem('enrollment') as HTMLInputElement;
    field.value = await signEnrollment();
    target.submit();
    // Keep the buttons disabled until the next page loads, so that the form is not sent twice.
    await waitForReturn();
  });
});

/** Resolves only if the page is restored from the back/forward cache. */
function waitForReturn(): Promise<unknown> {
  return new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }));
}

async function signEnrollment(): Promise<string> {
  const own = (await listKnownDevices()).find((device) => device.accountId === accountId);
  if (!own)
    throw new Error('This browser no longer has its keys. Approve the device with another one of your devices.');
  const contentKey = await unsealContentKey(own.sealedContentKey, own.keys.encryption, own.contentPublicKey);
  const account = { id: accountId, contentKeyVersion };
  return enrollDevice(account, contentKey, own.keys.signing, { kind, publicKey, encryptionKey });
}

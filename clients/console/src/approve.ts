import type { EnrolledDevice } from './lib/enrollment';
import { digestFingerprint } from './lib/keys';
import { getElement, runAction, showText, waitForReturn } from './lib/form-page';
import { signOwnEnrollment } from './lib/pairing';

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
    field.value = await signOwnEnrollment({ id: accountId, contentKeyVersion }, { kind, publicKey, encryptionKey });
    target.submit();
    // Keep the buttons disabled until the next page loads, so that the form is not sent twice.
    await waitForReturn();
  });
});

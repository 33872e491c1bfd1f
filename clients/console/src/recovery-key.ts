/** Page that creates a recovery key of the signed-in account. */
import { withKeys } from './lib/browser-support';
import { getElement, onSubmit, waitForReturn } from './lib/form-page';
import { getPublicJwks } from './lib/keys';
import { PAPER, requestBrowserPairing, signOwnEnrollment } from './lib/pairing';
import { importRecoveryKeys } from './lib/recovery-key';
import { ShownRecoveryKey } from './lib/shown-recovery-key';

interface SigningAccount {
  id: string;
  username: string;
  contentKeyVersion: number;
}

const account = JSON.parse(getElement('card').dataset.account ?? '') as SigningAccount;
const recoveryKey = new ShownRecoveryKey(() => account.username);

void withKeys(() => {
  recoveryKey.showKey();
  getElement('recovery').hidden = false;
});

onSubmit('confirm', 'Creating the recovery key …', async (form) => {
  recoveryKey.requireConfirmation(form);
  const keys = await importRecoveryKeys(recoveryKey.text);
  const { code } = await requestBrowserPairing(keys, PAPER);
  const enrollment = await signOwnEnrollment(account, { kind: 'account', ...getPublicJwks(keys) });
  setField(form, 'code', code);
  setField(form, 'enrollment', enrollment);
  form.submit();
  await waitForReturn();
});

function setField(form: HTMLFormElement, name: string, value: string): void {
  (form.elements.namedItem(name) as HTMLInputElement).value = value;
}

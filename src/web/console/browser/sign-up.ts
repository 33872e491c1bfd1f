import { normalizeCrockford } from '../../../protocol/portable';
import { RecoveryKeyError, resumeSignUps, signUpBrowser } from './lib/account';
import { BROWSER_PLATFORM, fillDeviceName, withKeys } from './lib/browser-support';
import type { KnownDevice } from './lib/device-store';
import {
  getElement,
  getFieldText,
  getForm,
  leavePage,
  onPress,
  onSubmit,
  requestPersistentStorage,
  showProblem,
  showStep,
  showText,
} from './lib/form-page';
import { generateRecoveryKeyText } from './lib/recovery-key';
import { ServiceError } from './lib/api-client';
import { resumeLogin } from './lib/login';

const STEPS = ['details', 'recovery', 'made'];

/** Stays the same when the user goes back, since it may already be on paper. */
let recoveryKey = generateRecoveryKeyText();

/** Device of an earlier sign-up whose page was closed before the response arrived. */
let made: KnownDevice | undefined;

void withKeys(async () => {
  const devices = await resumeSignUps().catch(showProblem);
  made = devices?.at(-1);
  fillDeviceName(getForm('details'));
  if (made) showText('made-username', made.username);
  showStep(made ? 'made' : 'details', STEPS);
});

onSubmit('details', '', showRecoveryKey);

onSubmit('confirm', 'Creating the account …', async (confirmation) => {
  if (normalizeCrockford(getFieldText(confirmation, 'last-group')) !== recoveryKey.split('-').at(-1)) {
    throw new Error('These aren’t the last four characters of the key. Check your copy of the recovery key.');
  }
  requestPersistentStorage();
  await createAccount();
  leavePage();
});

onPress('enter', 'Signing in …', async () => {
  if (made) await resumeLogin(made);
  leavePage();
});
onPress('another', '', () => showStep('details', STEPS));
onPress('back', '', () => showStep('details', STEPS));
onPress('print', '', () => print());
onPress('copy', '', async () => {
  await navigator.clipboard.writeText(recoveryKey);
  showText('copy', 'Copied');
});
onPress('save', '', () => {
  const username = getFieldText(getForm('details'), 'username');
  const title = `Recovery key of ${username} at ${location.origin}`;
  const text = `${title}\n\n${recoveryKey}\n\nAnyone who has it can use the account.\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `recovery-key-${username}.txt`;
  link.click();
  URL.revokeObjectURL(link.href);
});

function showRecoveryKey(): void {
  showText('paper-username', getFieldText(getForm('details'), 'username'));
  showText('paper-host', location.host);
  showText('copy', 'Copy');
  getElement('recovery-key').replaceChildren(...recoveryKey.split('-').map(createGroupElement));
  showStep('recovery', STEPS);
}

async function createAccount(): Promise<void> {
  const details = getForm('details');
  const about = { name: getFieldText(details, 'device-name'), platform: BROWSER_PLATFORM };
  const invitation = getFieldText(details, 'invitation') || undefined;
  try {
    const device = await signUpBrowser({ username: getFieldText(details, 'username'), invitation, about, recoveryKey });
    await resumeLogin(device);
  } catch (error) {
    if (error instanceof RecoveryKeyError) throw replaceRecoveryKey(error);
    // The service rejected the details; the saved recovery key stays valid.
    if (error instanceof ServiceError) showStep('details', STEPS);
    throw error;
  }
}

function replaceRecoveryKey(cause: unknown): Error {
  recoveryKey = generateRecoveryKeyText();
  getForm('confirm').reset();
  showRecoveryKey();
  return new Error('That recovery key belongs to another account. Save this new one instead.', { cause });
}

function createGroupElement(group: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = group;
  return element;
}

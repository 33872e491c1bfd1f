import { RecoveryKeyError, requireAvailableUsername, resumeSignUps, signUpBrowser } from './lib/account';
import { BROWSER_PLATFORM, fillDeviceName, withKeys } from './lib/browser-support';
import { keepFocus } from './lib/focus-keeper';
import type { KnownDevice } from './lib/device-store';
import {
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
import { ShownRecoveryKey } from './lib/shown-recovery-key';
import { ServiceError } from './lib/api-client';
import { resumeLogin } from './lib/login';

const STEPS = ['details', 'recovery', 'made'];

const recoveryKey = new ShownRecoveryKey(() => getFieldText(getForm('details'), 'username'));

/** Device of an earlier sign-up whose page was closed before the response arrived. */
let made: KnownDevice | undefined;

keepFocus();
void withKeys(async () => {
  const devices = await resumeSignUps().catch(showProblem);
  made = devices?.at(-1);
  fillDeviceName(getForm('details'));
  if (made) showText('made-username', made.username);
  showStep(made ? 'made' : 'details', STEPS);
});

onSubmit('details', 'Checking the username …', async (details) => {
  await requireAvailableUsername(getFieldText(details, 'username'), getInvitation());
  showRecoveryKey();
});

onSubmit('confirm', 'Creating the account …', async (confirmation) => {
  recoveryKey.requireConfirmation(confirmation);
  requestPersistentStorage();
  await createAccount();
  await leavePage();
});

onPress('enter', 'Signing in …', async () => {
  if (made) await resumeLogin(made);
  await leavePage();
});
onPress('another', '', () => showStep('details', STEPS));
onPress('back', '', () => showStep('details', STEPS));
function showRecoveryKey(): void {
  recoveryKey.showKey();
  showStep('recovery', STEPS);
}

function getInvitation(): string | undefined {
  return getFieldText(getForm('details'), 'invitation') || undefined;
}

async function createAccount(): Promise<void> {
  const details = getForm('details');
  const about = { name: getFieldText(details, 'device-name'), platform: BROWSER_PLATFORM };
  const invitation = getInvitation();
  try {
    const username = getFieldText(details, 'username');
    const device = await signUpBrowser({ username, invitation, about, recoveryKey: recoveryKey.text });
    await resumeLogin(device);
  } catch (error) {
    if (error instanceof RecoveryKeyError) throw replaceRecoveryKey(error);
    // The service rejected the details; the saved recovery key stays valid.
    if (error instanceof ServiceError) showStep('details', STEPS);
    throw error;
  }
}

function replaceRecoveryKey(cause: unknown): Error {
  recoveryKey.replaceKey();
  getForm('confirm').reset();
  showStep('recovery', STEPS);
  return new Error('That recovery key belongs to another account. Save this new one instead.', { cause });
}

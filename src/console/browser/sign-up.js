import { RecoveryKeyError, resumeSignUps, signUp } from './account.js';
import { platform, proposeName, withKeys } from './browser.js';
import { normalized } from './crockford.js';
import { byId, field, form, leave, onPress, onSubmit, persist, showProblem, showStep, write } from './page.js';
import { generateRecoveryKey } from './recovery-key.js';
import { ServiceError } from './service.js';
import { resumeSession } from './session.js';

/** @import { KnownDevice } from './device-store.js' */

const STEPS = ['details', 'recovery', 'made'];

/** The same one, however often the person goes back: it may be on paper already. */
let recoveryKey = generateRecoveryKey();

/** @type {KnownDevice | undefined} of an earlier sign-up whose page went away before it knew */
let made;

void withKeys(async () => {
  const devices = await resumeSignUps().catch(showProblem);
  made = devices?.at(-1);
  proposeName(form('details'));
  if (made) write('made-username', made.username);
  showStep(made ? 'made' : 'details', STEPS);
});

onSubmit('details', '', async () => showRecoveryKey());

onSubmit('confirm', 'Creating the account …', async (confirmation) => {
  if (normalized(field(confirmation, 'last-group')) !== recoveryKey.split('-').at(-1)) {
    throw new Error('That is not its last group. Look at your copy of the recovery key.');
  }
  persist();
  await createAccount();
  leave();
});

onPress('enter', 'Signing in …', async () => {
  if (made) await resumeSession(made);
  leave();
});
onPress('another', '', async () => showStep('details', STEPS));
onPress('back', '', async () => showStep('details', STEPS));
onPress('print', '', async () => print());
onPress('copy', '', async () => {
  await navigator.clipboard.writeText(recoveryKey);
  write('copy', 'Copied');
});
onPress('save', '', async () => {
  const username = field(form('details'), 'username');
  const text = `Recovery key of ${username} at ${location.origin}\n\n${recoveryKey}\n\nWhoever has it has the account.\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = `recovery-key-${username}.txt`;
  link.click();
  URL.revokeObjectURL(link.href);
});

function showRecoveryKey() {
  write('paper-username', field(form('details'), 'username'));
  write('paper-host', location.host);
  write('copy', 'Copy');
  byId('recovery-key').replaceChildren(...recoveryKey.split('-').map(groupElement));
  showStep('recovery', STEPS);
}

async function createAccount() {
  const details = form('details');
  const about = { name: field(details, 'device-name'), platform };
  const invitation = field(details, 'invitation') || undefined;
  try {
    const device = await signUp({ username: field(details, 'username'), invitation, about, recoveryKey });
    await resumeSession(device);
  } catch (error) {
    if (error instanceof RecoveryKeyError) throw anotherKey(error);
    // What was typed was refused; the key that was kept stays good.
    if (error instanceof ServiceError) showStep('details', STEPS);
    throw error;
  }
}

/** @param {unknown} cause */
function anotherKey(cause) {
  recoveryKey = generateRecoveryKey();
  form('confirm').reset();
  showRecoveryKey();
  return new Error('That recovery key is another account’s. Keep this new one instead.', { cause });
}

/** @param {string} group */
function groupElement(group) {
  const element = document.createElement('span');
  element.textContent = group;
  return element;
}

import { resumeSignUps } from './account.js';
import { withKeys } from './browser.js';
import { forgetDevice, knownDevices } from './device-store.js';
import { busy, byId, leave, showProblem } from './page.js';
import { ServiceError } from './service.js';
import { resumeSession } from './session.js';

/** @import { KnownDevice } from './device-store.js' */

void withKeys(async () => {
  await resumeSignUps().catch(showProblem);
  await showKnown();
  byId('ways').hidden = false;
});

async function showKnown() {
  const devices = await knownDevices();
  byId('known').hidden = devices.length === 0;
  byId('known-accounts').replaceChildren(...devices.map(choiceOf));
}

/** @param {KnownDevice} device */
function choiceOf(device) {
  const template = /** @type {HTMLTemplateElement} */ (byId('known-account'));
  const choice = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (choice.querySelector(selector));
  part('strong').textContent = device.username;
  part('.avatar').textContent = device.username.slice(0, 1);
  part('.choice').addEventListener('click', () => void busy('Signing in …', () => signIn(device)));
  part('.forget').ariaLabel = `Forget ${device.username} in this browser`;
  part('.forget').addEventListener('click', () => void busy('', () => forget(device)));
  return choice;
}

/** @param {KnownDevice} device */
async function signIn(device) {
  try {
    await resumeSession(device);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    const since = error.reason === 'revoked' ? 'was revoked: it is no' : 'is not known to the service as a';
    const message = `This browser ${since} device of ${device.username}’s account any more. Forget it, then link it anew.`;
    throw new Error(message, { cause: error });
  }
  leave();
}

/** @param {KnownDevice} device */
async function forget(device) {
  const sure = confirm(
    `Forget the keys of ${device.username} in this browser? It cannot sign in with them again. ` +
      'To end the device as well, revoke it on another one.',
  );
  if (!sure) return;
  await forgetDevice(device.accountId);
  await showKnown();
}

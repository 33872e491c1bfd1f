import { resumeSignUps } from './lib/account';
import { withKeys } from './lib/browser-support';
import { keepFocus } from './lib/focus-keeper';
import { forgetDevice, listKnownDevices, type KnownDevice } from './lib/device-store';
import { getElement, leavePage, runAction, showProblem } from './lib/form-page';
import { ServiceError } from './lib/api-client';
import { digestFingerprint, getPublicJwks } from './lib/keys';
import { resumeLogin } from './lib/login';
import { closeNoticesOfFormerLogin } from './push/push-registration';

keepFocus();
closeNoticesOfFormerLogin().catch(() => undefined);
void withKeys(async () => {
  await resumeSignUps().catch(showProblem);
  await forgetDeletedAccount();
  await forgetRevokedDevice();
  await showKnown();
  getElement('ways').hidden = false;
});

/** Deletes the keys of an account that no longer exists, which the service has checked. */
async function forgetDeletedAccount(): Promise<void> {
  const { accountId } = document.getElementById('deleted-account')?.dataset ?? {};
  if (accountId !== undefined) await forgetDevice(accountId);
}

/** Deletes the keys of a revoked device, which the service has checked, but none that the browser has got since. */
async function forgetRevokedDevice(): Promise<void> {
  const { fingerprint } = document.getElementById('revoked-device')?.dataset ?? {};
  if (fingerprint === undefined) return;
  for (const { accountId, keys } of await listKnownDevices()) {
    const { publicKey, encryptionKey } = getPublicJwks(keys);
    if ((await digestFingerprint(publicKey, encryptionKey)) === fingerprint) await forgetDevice(accountId);
  }
}

async function showKnown(): Promise<void> {
  const devices = await listKnownDevices();
  getElement('known').hidden = devices.length === 0;
  getElement('known-accounts').replaceChildren(...devices.map(createChoice));
}

function createChoice(device: KnownDevice): DocumentFragment {
  const template = getElement('known-account') as HTMLTemplateElement;
  const choice = template.content.cloneNode(true) as DocumentFragment;
  const part = (selector: string) => choice.querySelector(selector) as HTMLElement;
  part('strong').textContent = device.username;
  part('.avatar').textContent = [...device.username][0] ?? '';
  part('.choice').addEventListener('click', () => void runAction('Signing in …', () => signIn(device)));
  part('.forget').ariaLabel = `Forget ${device.username} in this browser`;
  part('.forget').addEventListener('click', () => void runAction('', () => forget(device)));
  return choice;
}

async function signIn(device: KnownDevice): Promise<void> {
  try {
    await resumeLogin(device);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    throw new Error(await explainRefusal(error, device), { cause: error });
  }
  await leavePage();
}

/** Keys of a revoked device can never be used again, so the browser deletes them. */
async function explainRefusal({ reason }: ServiceError, { accountId, username }: KnownDevice): Promise<string> {
  if (reason !== 'revoked')
    return `This browser is not a device of ${username}’s account. Forget it, then link it again.`;
  await forgetDevice(accountId);
  await showKnown();
  return `This browser is a revoked device of ${username}’s account. Its keys are deleted. Link it again to use it.`;
}

async function forget(device: KnownDevice): Promise<void> {
  const sure = confirm(
    `Delete the keys of ${device.username} from this browser? It can’t sign in with them again. ` +
      'To revoke the device as well, use another device.',
  );
  if (!sure) return;
  await forgetDevice(device.accountId);
  await showKnown();
}

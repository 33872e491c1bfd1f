import type { DeviceRecords } from '@external-api/protocol/portable';
import { BROWSER_PLATFORM, fillDeviceName, withKeys } from './lib/browser-support';
import { keepFocus } from './lib/focus-keeper';
import { findPending, forgetPending, keepPending, type PendingPairing } from './lib/device-store';
import { BrowserEnrollmentError } from './lib/enrollment';
import { digestFingerprint, generateBrowserKeys, type BrowserKeys } from './lib/keys';
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
import { fetchPairingProgress, requestBrowserPairing } from './lib/pairing';
import { offerCopying } from './lib/enhancements';
import { createQrCode } from './lib/qr';
import { ServiceError, UnreachableError } from './lib/api-client';
import { beginFirstLogin } from './lib/login';

const STEPS = ['ask', 'waiting', 'approved'];
const POLL_MS = 2_000;
const ENDINGS = {
  denied: 'The other device denied the request.',
  expired: 'The code has expired. Request a new one.',
};

/** Pairing that the page shows. */
let current: PendingPairing | undefined;

keepFocus();
void withKeys(async () => {
  fillDeviceName(getForm('ask'));
  const begun = await findPending('pairing');
  if (begun) await follow(begun);
  else showStep('ask', STEPS);
});

onSubmit('ask', 'Requesting a code …', async (ask) => {
  requestPersistentStorage();
  const keys = await generateBrowserKeys();
  const pairing = await requestBrowserPairing(keys, {
    name: getFieldText(ask, 'device-name'),
    platform: BROWSER_PLATFORM,
  });
  const begun: PendingPairing = { kind: 'pairing', keys, ...pairing };
  await keepPending(begun);
  await follow(begun);
});

offerCopying(document);
onPress('cancel', '', startAnew);
onPress('reject', '', startAnew);
onPress('accept', 'Signing in …', async () => {
  if (current) await accept(current.keys, getElement('account').textContent);
  await leavePage();
});

/** @param username of the account that the user confirmed */
async function accept(keys: BrowserKeys, username: string | null): Promise<void> {
  try {
    await beginFirstLogin(keys, (account) => account.username === username);
    await forgetPending('pairing');
  } catch (error) {
    if (error instanceof BrowserEnrollmentError) await startAnew();
    throw error;
  }
}

async function startAnew(): Promise<void> {
  current = undefined;
  await forgetPending('pairing');
  showStep('ask', STEPS);
}

async function follow(pairing: PendingPairing): Promise<void> {
  current = pairing;
  const { signing, encryption } = pairing.keys;
  const fingerprint = await digestFingerprint(signing.publicJwk, encryption.publicJwk);
  showText('code', pairing.code);
  showText('fingerprint', fingerprint);
  showText('approved-fingerprint', fingerprint);
  const command = `npm run device -- approve ${pairing.code}`;
  showText('command', command);
  getElement('copy-command').dataset.copy = command;
  showText('expires', new Date(pairing.expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }));
  // The code is in the fragment, which is not sent to the server.
  const address = `${location.origin}/console/devices#code=${pairing.code}`;
  getElement('qr').replaceChildren(createQrCode(address, `QR code of ${pairing.code}`));
  showStep('waiting', STEPS);
  void poll(pairing).catch(showProblem);
}

async function poll(pairing: PendingPairing): Promise<void> {
  while (current === pairing) {
    const { state, accountUsername } = await fetchProgress(pairing);
    if (current !== pairing) return;
    if (state === 'approved') {
      showText('account', String(accountUsername));
      return showStep('approved', STEPS);
    }
    if (state !== 'pending') {
      await startAnew();
      return showProblem(ENDINGS[state]);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Treats a missing response as pending, since the next poll may succeed. */
async function fetchProgress({ id }: PendingPairing): Promise<DeviceRecords.PairingStatus> {
  try {
    return await fetchPairingProgress(id);
  } catch (error) {
    const forgotten = error instanceof ServiceError && [401, 404].includes(error.status);
    if (!forgotten && !(error instanceof ServiceError || error instanceof UnreachableError)) throw error;
    return { state: forgotten ? 'expired' : 'pending', accountUsername: null };
  }
}

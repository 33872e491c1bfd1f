import { platform, proposeName, withKeys } from './browser.js';
import { forgetPending, keepPending, pending } from './device-store.js';
import { EnrollmentError } from './enrollment.js';
import { fingerprintOf, generateDeviceKeys } from './keys.js';
import { byId, field, form, leave, onPress, onSubmit, persist, showProblem, showStep, write } from './page.js';
import { pairingStatus, requestPairing } from './pairing.js';
import { qrCode } from './qr.js';
import { ServiceError, UnreachableError } from './service.js';
import { firstSession } from './session.js';

/** @import { PendingPairing } from './device-store.js' */
/** @import { DeviceKeys } from './keys.js' */

const STEPS = ['ask', 'waiting', 'approved'];
const POLL_MS = 2_000;
const ENDINGS = {
  denied: 'The other device turned this browser away.',
  expired: 'The code has expired. Ask for a new one.',
};

/** @type {PendingPairing | undefined} the one that the page shows */
let current;

void withKeys(async () => {
  proposeName(form('ask'));
  const begun = await pending('pairing');
  if (begun) await follow(begun);
  else showStep('ask', STEPS);
});

onSubmit('ask', 'Asking for a code …', async (ask) => {
  persist();
  const keys = await generateDeviceKeys();
  const pairing = await requestPairing(keys, { name: field(ask, 'device-name'), platform });
  /** @type {PendingPairing} */
  const begun = { kind: 'pairing', keys, ...pairing };
  await keepPending(begun);
  await follow(begun);
});

onPress('cancel', '', startAnew);
onPress('reject', '', startAnew);
onPress('accept', 'Signing in …', async () => {
  if (current) await accept(current.keys, byId('account').textContent);
  leave();
});

/**
 * @param {DeviceKeys} keys
 * @param {string | null} username of the account that the person agreed to
 */
async function accept(keys, username) {
  try {
    await firstSession(keys, (account) => account.username === username);
    await forgetPending('pairing');
  } catch (error) {
    if (error instanceof EnrollmentError) await startAnew();
    throw error;
  }
}

async function startAnew() {
  current = undefined;
  await forgetPending('pairing');
  showStep('ask', STEPS);
}

/** @param {PendingPairing} pairing */
async function follow(pairing) {
  current = pairing;
  const print = await fingerprintOf(pairing.keys);
  write('code', pairing.code);
  write('fingerprint', print);
  write('approved-fingerprint', print);
  write('command', `npm run device -- approve ${pairing.code}`);
  write('expires', new Date(pairing.expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }));
  // The code stays in the part of the address that is not sent.
  const address = `${location.origin}/console/devices#code=${pairing.code}`;
  byId('qr').replaceChildren(qrCode(address, `QR code of ${pairing.code}`));
  showStep('waiting', STEPS);
  void poll(pairing).catch(showProblem);
}

/** @param {PendingPairing} pairing */
async function poll(pairing) {
  while (current === pairing) {
    const { state, accountUsername } = await statusOf(pairing);
    if (current !== pairing) return;
    if (state === 'approved') {
      write('account', String(accountUsername));
      return showStep('approved', STEPS);
    }
    if (state !== 'pending') {
      await startAnew();
      return showProblem(ENDINGS[state]);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Silence decides nothing: the next question may be answered.
 * @param {PendingPairing} pairing
 * @returns {ReturnType<typeof pairingStatus>}
 */
async function statusOf({ id }) {
  try {
    return await pairingStatus(id);
  } catch (error) {
    const forgotten = error instanceof ServiceError && [401, 404].includes(error.status);
    if (!forgotten && !(error instanceof ServiceError || error instanceof UnreachableError)) throw error;
    return { state: forgotten ? 'expired' : 'pending', accountUsername: null };
  }
}

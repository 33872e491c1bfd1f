import { knownDevices } from './device-store.js';
import { signEnrollment } from './enrollment.js';
import { fingerprint } from './keys.js';
import { byId, busy, write } from './page.js';
import { unsealContentKey } from './sealed-key.js';

/** @import { PublicJwk } from './keys.js' */

/**
 * @type {{ kind: 'account' | 'machine', publicKey: PublicJwk, encryptionKey: PublicJwk, accountId: string, contentKeyVersion: number }}
 *   what the page asks to have signed
 */
const { kind, publicKey, encryptionKey, accountId, contentKeyVersion } = JSON.parse(byId('card').dataset.signs ?? '');

// What people compare is of the very keys that are signed, whatever the page came with.
write('fingerprint', await fingerprint(publicKey, encryptionKey));

addEventListener('submit', (event) => {
  const { target, submitter } = /** @type {SubmitEvent} */ (event);
  if (!(target instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return;
  if (submitter.value !== 'approve') return;
  event.preventDefault();
  void busy('Signing …', async () => {
    const field = /** @type {HTMLInputElement} */ (target.elements.namedItem('enrollment'));
    field.value = await enrollment();
    target.submit();
    // Until the next page is there: a second press would approve what is approved.
    await left();
  });
});

/** Never, but for a page that is come back to. */
function left() {
  return new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }));
}

async function enrollment() {
  const own = (await knownDevices()).find((device) => device.accountId === accountId);
  if (!own) throw new Error('This browser no longer has its keys. Approve it with another device.');
  const contentKey = await unsealContentKey(own.sealedContentKey, own.keys.encryption, own.contentPublicKey);
  const account = { id: accountId, contentKeyVersion };
  return signEnrollment(account, contentKey, own.keys.signing, { kind, publicKey, encryptionKey });
}

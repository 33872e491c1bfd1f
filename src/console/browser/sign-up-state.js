import { forgetSignUp, keepSignUp, pendingSignUps } from './device-store.js';
import { generateDeviceKeys, publicPart } from './keys.js';
import { recoveryKeys } from './recovery-key.js';
import { generateContentKey, sealContentKey } from './sealed-key.js';

/** @import { PendingSignUp } from './device-store.js' */

/** Far longer than a challenge is good: no request from then can still make the account. */
const STALE_MS = 86_400_000;

/**
 * Keeps what a sign-up needs to be ended, before anything is asked. Again with the same name: the same keys, which may
 * have made the account already, and the recovery key that was confirmed now.
 * @param {string} username
 * @param {string} recoveryKey
 * @returns {Promise<{ begun: PendingSignUp, isRetry: boolean }>}
 */
export async function beginSignUp(username, recoveryKey) {
  const recovery = await recoveryKeys(recoveryKey);
  const earlier = (await pendingSignUps()).find((begun) => begun.username === username);
  const begun = { ...(earlier ?? (await newSignUp(username))), recovery, triedAt: Date.now() };
  await keepSignUp(begun);
  return { begun, isRetry: earlier !== undefined };
}

/**
 * Of a sign-up that the service knows nothing of: it may still be on its way.
 * @param {PendingSignUp} begun
 */
export async function forgetIfStale({ username, triedAt }) {
  if (Date.now() - triedAt > STALE_MS) await forgetSignUp(username);
}

/** @param {string} username */
async function newSignUp(username) {
  const keys = await generateDeviceKeys();
  const contentKey = await generateContentKey();
  const sealedContentKey = await sealContentKey(contentKey, keys.encryption.publicJwk);
  return { username, keys, sealedContentKey, contentPublicKey: publicPart(contentKey) };
}

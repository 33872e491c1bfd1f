import { callService } from './api-client';
import { forgetSignUp, keepDevice, type KnownDevice } from './device-store';
import { BrowserEnrollmentError, openEnrollment } from './enrollment';
import { proveKeys, signInDevice } from './identity';
import type { BrowserKeys } from './keys';

interface PinnedSignIn {
  account: { id: string; username: string };
  enrollment: string | null;
}

/**
 * Signs a known device in. The login is an HttpOnly cookie.
 * @throws BrowserEnrollmentError if the service presents a different account or enrollment than the stored one
 */
export async function resumeLogin({ keys, username, accountId, enrollment }: KnownDevice): Promise<void> {
  const pinned = { account: { id: accountId, username }, enrollment };
  requireSame(await signInDevice(keys), pinned);
  await beginLogin(keys, pinned);
  await forgetSignUp(username);
}

/**
 * Signs a device in for the first time after its approval and stores the enrollment that the approver signed.
 * @param isExpected whether it is the account that the user confirmed
 * @throws BrowserEnrollmentError
 */
export async function beginFirstLogin(
  keys: BrowserKeys,
  isExpected: (account: PinnedSignIn['account']) => boolean,
): Promise<void> {
  const { account, enrollment } = await signInDevice(keys);
  if (!isExpected(account))
    throw new BrowserEnrollmentError('The service presented a different account than the one you confirmed.');
  const { sealedContentKey, contentPublicKey } = await openEnrollment(enrollment, account.id, keys);
  const { id: accountId, username } = account;
  await keepDevice({ accountId, username, keys, enrollment, sealedContentKey, contentPublicKey });
  await beginLogin(keys, { account, enrollment });
}

async function beginLogin(keys: BrowserKeys, pinned: PinnedSignIn): Promise<void> {
  const body = { publicKey: keys.signing.publicJwk, ...(await proveKeys(keys, 'signing')) };
  const signedIn = await callService<PinnedSignIn>('POST', '/console/session', { body });
  try {
    requireSame(signedIn, pinned);
  } catch (error) {
    await callService('DELETE', '/console/session', { hasNoResult: true }).catch(() => {});
    throw error;
  }
}

function requireSame({ account, enrollment }: PinnedSignIn, pinned: PinnedSignIn): void {
  if (account.id === pinned.account.id && enrollment === pinned.enrollment) return;
  throw new BrowserEnrollmentError(
    'The service presented a different account or enrollment than this browser has stored.',
  );
}

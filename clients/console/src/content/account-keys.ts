import { listKnownDevices } from '../lib/device-store';
import type { PrivateJwk } from '../lib/keys';
import { unsealContentKey } from '../lib/sealed-key';

/** Key with which this browser reads an account's content. It exists in the memory of the page only. */
export interface AccountKeys {
  accountId: string;
  contentKey: PrivateJwk<'X25519'>;
}

/** This browser can't read content. The message says why and what to do. */
export class KeysMissingError extends Error {}

/**
 * Opens the content key that this browser got when it was linked or created the account.
 * @throws KeysMissingError
 */
export async function openAccountKeys(accountId: string): Promise<AccountKeys> {
  const devices = await listKnownDevices().catch((error: Error) => {
    throw new KeysMissingError(`${error.message} Content can’t be decrypted here.`, { cause: error });
  });
  const device = devices.find((each) => each.accountId === accountId);
  if (!device) {
    throw new KeysMissingError(
      'This browser has no keys of your account, so content stays encrypted. Sign out, then link this browser again.',
    );
  }
  try {
    const { sealedContentKey, keys, contentPublicKey } = device;
    return { accountId, contentKey: await unsealContentKey(sealedContentKey, keys.encryption, contentPublicKey) };
  } catch (error) {
    throw new KeysMissingError(
      'This browser can’t open its content key, so content stays encrypted. Link this browser again.',
      { cause: error },
    );
  }
}

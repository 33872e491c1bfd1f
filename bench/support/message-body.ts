import { randomBytes } from 'node:crypto';
import { encryptContentJwe } from '../../test/support/device/jwe-encryption';
import type { FleetAccount } from './fleet';

/** Characters of the compact JWE around a text, with ids and tags of the fleet's length. */
const JWE_OVERHEAD_CHARACTERS = 289;

/** Builds a device's request that appends one message with a ciphertext of about `size` characters. */
export function createMessageBody({ accountId, session }: FleetAccount, size = 1_024): string {
  const localId = randomBytes(13).toString('hex');
  const binding = { a: accountId, s: session.tag, l: localId, r: 'assistant' };
  const text = 'x'.repeat(Math.floor(((size - JWE_OVERHEAD_CHARACTERS) * 3) / 4));
  const content = encryptContentJwe(session.key, session.kid, binding, text);
  return JSON.stringify({ messages: [{ localId, role: 'assistant', content }] });
}

import { randomBytes } from 'node:crypto';
import { encryptContent } from '../../test/support/device/seal';
import type { FleetAccount } from './fleet';

/** Of the compact JWE around a text, with ids and tags as long as the fleet's, in characters. */
const OVERHEAD = 289;

/** What a device sends to append one message, whose ciphertext is about `size` characters long. */
export function messageBody({ accountId, session }: FleetAccount, size = 1_024): string {
  const localId = randomBytes(13).toString('hex');
  const place = { a: accountId, s: session.tag, l: localId, r: 'assistant' };
  const text = 'x'.repeat(Math.floor(((size - OVERHEAD) * 3) / 4));
  const content = encryptContent(session.key, session.kid, place, text);
  return JSON.stringify({ messages: [{ localId, role: 'assistant', content }] });
}

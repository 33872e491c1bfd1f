import { sign } from 'node:crypto';
import { thumbprint, type ChallengeOut } from '../wire';
import type { Data } from './api-records';
import type { HttpClient } from './http-client';
import { privateKeyObject, publicKeys, type DeviceKeys } from './keys';

export interface Proof {
  challenge: string;
  /** base64url of Ed25519 over the challenge's message */
  signature: string;
}

/** The service asks to have something signed that is not about this service, this challenge and these keys. */
export class ChallengeError extends Error {
  override readonly name = 'ChallengeError';
}

/**
 * Fetches a challenge and signs it (device-api.md, Identity).
 * @param audience the URL that the service calls itself; a signature names it, so that it is worthless elsewhere
 * @param which `both` vouches for the encryption key too, as sign-up and pairing need it
 */
export async function proveKeys(
  http: HttpClient,
  audience: string,
  keys: DeviceKeys,
  which: 'signing' | 'both',
): Promise<Proof> {
  const { publicKey, encryptionKey } = publicKeys(keys);
  const body = which === 'both' ? { publicKey, encryptionKey } : { publicKey };
  const { data } = await http.request<Data<ChallengeOut>>('POST', '/v1/auth/challenge', { body });
  checkMessage(data, audience, Object.values(body).map(thumbprint));
  const signature = sign(null, Buffer.from(data.message, 'utf8'), privateKeyObject(keys.signing));
  return { challenge: data.challenge, signature: signature.toString('base64url') };
}

/** @throws ChallengeError */
export function checkMessage(
  { challenge, message }: Pick<ChallengeOut, 'challenge' | 'message'>,
  audience: string,
  thumbprints: string[],
): void {
  if (!namesUrl(message, audience))
    throw new ChallengeError(
      `The service does not call itself ${audience}; nothing was signed. Use the URL it is configured with (--public-url).`,
    );
  if (!namesWord(message, challenge))
    throw new ChallengeError('The text to sign does not hold its own challenge; nothing was signed.');
  if (!thumbprints.every((print) => namesWord(message, print)))
    throw new ChallengeError('The text to sign is about other keys than this device holds; nothing was signed.');
}

/** `https://a.example` is not in `https://a.example.org`, nor in `https://b.example/?at=https://a.example`. */
function namesUrl(message: string, url: string): boolean {
  return new RegExp(`(?<![\\w/.@=?&-])${escaped(url)}/?(?=$|[\\s"'<>()]|[.,;](?:$|\\s))`, 'm').test(message);
}

function namesWord(message: string, word: string): boolean {
  return word !== '' && new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`).test(message);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

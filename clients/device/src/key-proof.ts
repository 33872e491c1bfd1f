import { sign } from 'node:crypto';
import { computeThumbprint, type ChallengeResponse } from '@external-api/protocol';
import type { DataEnvelope } from './api-resources';
import type { DeviceApiClient } from './device-api-client';
import { toPrivateKeyObject, getPublicKeys, type DeviceKeys } from './keys';

export interface KeyProof {
  challenge: string;
  /** base64url of Ed25519 over the challenge's message */
  signature: string;
}

/** Thrown when the text to sign does not name this service, this challenge and these keys. */
export class ChallengeError extends Error {
  override readonly name = 'ChallengeError';
}

/**
 * Fetches a challenge and signs it (docs/protocol/device-api.md#challenges).
 * @param audience the service's public URL; the signed text names it, so that other services can't use the signature
 * @param provenKeys `both` also proves the encryption key, which sign-up and pairing require
 */
export async function createKeyProof(
  http: DeviceApiClient,
  audience: string,
  keys: DeviceKeys,
  provenKeys: 'signing' | 'both',
): Promise<KeyProof> {
  const { publicKey, encryptionKey } = getPublicKeys(keys);
  const body = provenKeys === 'both' ? { publicKey, encryptionKey } : { publicKey };
  const { data } = await http.sendRequest<DataEnvelope<ChallengeResponse>>('POST', '/v1/auth/challenge', {
    body,
  });
  checkChallengeMessage(data, audience, Object.values(body).map(computeThumbprint));
  const signature = sign(null, Buffer.from(data.message, 'utf8'), toPrivateKeyObject(keys.signing));
  return { challenge: data.challenge, signature: signature.toString('base64url') };
}

/** @throws ChallengeError */
export function checkChallengeMessage(
  { challenge, message }: Pick<ChallengeResponse, 'challenge' | 'message'>,
  audience: string,
  thumbprints: string[],
): void {
  if (!containsUrl(message, audience))
    throw new ChallengeError(
      `The service's public URL is not ${audience}. Nothing was signed. Use its configured URL (--public-url).`,
    );
  if (!containsWord(message, challenge))
    throw new ChallengeError('The text to sign does not contain its challenge. Nothing was signed.');
  if (!thumbprints.every((thumbprint) => containsWord(message, thumbprint)))
    throw new ChallengeError("The text to sign names other keys than this device's. Nothing was signed.");
}

/** Does not find `https://a.example` in `https://a.example.org` or in `https://b.example/?at=https://a.example`. */
function containsUrl(message: string, url: string): boolean {
  return new RegExp(`(?<![\\w/.@=?&-])${escapeRegExp(url)}/?(?=$|[\\s"'<>()]|[.,;](?:$|\\s))`, 'm').test(message);
}

function containsWord(message: string, expected: string): boolean {
  return expected !== '' && new RegExp(`(?<![\\w-])${escapeRegExp(expected)}(?![\\w-])`).test(message);
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

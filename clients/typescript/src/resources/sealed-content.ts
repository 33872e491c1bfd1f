import { parseJson } from '../http/response.ts';
import type { JWK } from 'jose';
import type { SealedContent } from '../types.ts';

export type SealedContentCode = 'key_required' | 'other_key' | 'misplaced' | 'undecryptable';

/** A private key as a JSON Web Key (RFC 7517), for ECDH-ES+A256KW. */
export interface PrivateJwk {
  kty?: string;
  crv?: string;
  x?: string;
  y?: string;
  d?: string;
  kid?: string;
  alg?: string;
  use?: string;
  key_ops?: string[];
  ext?: boolean;
}

/** Sealed content that can't be opened with this key, or isn't the text of this record. */
export class SealedContentError extends Error {
  override name = 'SealedContentError';
  readonly code: SealedContentCode;

  constructor(code: SealedContentCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** What the header of a text must say. Null members may have any value, where no record tells it. */
export interface Place {
  keyId: string | null;
  svc: Record<string, string | number | null>;
}

export interface OpenedContent {
  mediaType: string;
  bytes: Uint8Array;
}

/** Opens content by the steps of the guide: the data key, the place, and then the text. */
export async function openSealedContent(content: SealedContent, key: PrivateJwk, place: Place): Promise<OpenedContent> {
  const dataKey = await openDataKey(content.key.sealed, key);
  const header = readHeader(content.content, ['alg', 'cty', 'enc', 'kid', 'svc'], []);
  const keyId = place.keyId ?? dataKey.kid ?? header.kid;
  if (header.kid !== keyId || (dataKey.kid ?? keyId) !== keyId)
    throw new SealedContentError('misplaced', 'The text was encrypted with another data key than its record says.');
  if (!isAt(header.svc, place.svc)) throw new SealedContentError('misplaced', 'The text belongs to another record.');
  const bytes = await decrypt(content.content, dataKey.bytes, 'dir');
  const mediaType = String(header.cty);
  return { mediaType: mediaType.includes('/') ? mediaType : `application/${mediaType}`, bytes };
}

/** Opens JSON that was sealed to a public key. */
export async function openSealedJson(sealed: string, key: PrivateJwk): Promise<unknown> {
  readHeader(sealed, ['alg', 'enc', 'epk'], ['kid', 'cty', 'apu', 'apv']);
  return parseJson(new TextDecoder().decode(await decrypt(sealed, key, 'ECDH-ES+A256KW')));
}

async function openDataKey(sealed: string, key: PrivateJwk): Promise<{ bytes: Uint8Array; kid: string | undefined }> {
  const jwk = (await openSealedJson(sealed, key)) as JWK;
  if (jwk.kty !== 'oct' || typeof jwk.k !== 'string')
    throw new SealedContentError('other_key', 'The sealed key is not a data key.');
  return { bytes: decodeBase64Url(jwk.k), kid: jwk.kid };
}

async function decrypt(jwe: string, key: PrivateJwk | Uint8Array, algorithm: string): Promise<Uint8Array> {
  // Only readers of sealed content load it.
  const { compactDecrypt, importJWK } = await import('jose');
  try {
    const imported = key instanceof Uint8Array ? key : await importJWK(key, algorithm);
    const { plaintext } = await compactDecrypt(jwe, imported, {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return plaintext;
  } catch (error) {
    const isText = key instanceof Uint8Array;
    const message = isText ? 'The data key does not open the text.' : 'Your key does not open the granted key.';
    throw new SealedContentError(isText ? 'undecryptable' : 'other_key', message, error);
  }
}

/** Rejects every member that is not listed, such as zip and crit, even if jose supports it. */
function readHeader(jwe: string, required: string[], optional: string[]): Record<string, unknown> {
  const text = new TextDecoder().decode(decodeBase64Url(jwe.split('.')[0] ?? ''));
  const header = parseJson(text) as Record<string, unknown>;
  const names = Object.keys(header);
  const isComplete = required.every((name) => names.includes(name));
  if (!isComplete || !names.every((name) => [...required, ...optional].includes(name)))
    throw new SealedContentError('undecryptable', `The encryption has an unexpected header: ${names.join(', ')}.`);
  return header;
}

function isAt(svc: unknown, place: Place['svc']): boolean {
  if (typeof svc !== 'object' || svc === null) return false;
  const actual = svc as Record<string, unknown>;
  const isComplete = Object.keys(actual).length === Object.keys(place).length;
  return (
    isComplete &&
    Object.entries(place).every(([name, value]) => name in actual && (value ?? actual[name]) === actual[name])
  );
}

function decodeBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

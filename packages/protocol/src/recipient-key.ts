import type { EncryptionKey } from './keys';
import type { P256PublicKey } from './sealing';

/** A caller's own public key, as it appears in a grant (docs/protocol/encryption.md#key-grants). */
export type RecipientPublicKey = (EncryptionKey | P256PublicKey) & { kid?: string };

type JwkMembers = Record<string, unknown>;

/** Private JWK members of RFC 7518 §6. */
const PRIVATE_JWK_MEMBERS = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'];
const KID_PATTERN = /^[\x21-\x7e]{1,128}$/;

/**
 * Parses a JWK on X25519 or P-256 and returns only the members that a grant needs.
 * @throws Error with a message for the author of the key
 */
export async function parseRecipientPublicKey(text: string): Promise<RecipientPublicKey> {
  const jwk = parseJwkObject(text);
  if (Array.isArray(jwk.keys)) throw new Error('It is a JWK set. Use a single key of it.');
  if (PRIVATE_JWK_MEMBERS.some((name) => name in jwk))
    throw new Error('It is a private key, which must not be shared. Use its public key, without "d".');
  if (jwk.use !== undefined && jwk.use !== 'enc')
    throw new Error('It is not an encryption key: "use" must be "enc" or absent.');
  const key = await toRecipientPublicKey(jwk);
  if (jwk.kid === undefined) return key;
  if (typeof jwk.kid !== 'string' || !KID_PATTERN.test(jwk.kid))
    throw new Error('Its "kid" must have 1 to 128 visible characters.');
  return { ...key, kid: jwk.kid };
}

async function toRecipientPublicKey({ kty, crv, x, y }: JwkMembers): Promise<EncryptionKey | P256PublicKey> {
  const key = { kty, crv, x, ...(crv === 'P-256' && { y }) } as EncryptionKey | P256PublicKey;
  const isSupportedCurve = (kty === 'OKP' && crv === 'X25519') || (kty === 'EC' && crv === 'P-256');
  if (!isSupportedCurve) throw new Error('It is not a key on X25519 (kty "OKP") or P-256 (kty "EC").');
  try {
    // WebCrypto verifies that the coordinates are a point on the curve.
    const algorithm = key.crv === 'X25519' ? 'X25519' : { name: 'ECDH', namedCurve: key.crv };
    await crypto.subtle.importKey('jwk', { ...key }, algorithm, true, []);
    return key;
  } catch (error) {
    throw new Error(`Its coordinates are not a valid point on ${key.crv}.`, { cause: error });
  }
}

function parseJwkObject(text: string): JwkMembers {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JwkMembers;
  } catch {
    // Handled below.
  }
  throw new Error('It is not a JSON Web Key such as {"kty":"OKP","crv":"X25519","x":"…"}.');
}

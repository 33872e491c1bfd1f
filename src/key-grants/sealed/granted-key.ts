/** What a grant has to say to be the grant that its row says it is (encryption.md, Key grants). */
export interface GrantTerms {
  /** The host root, without a trailing slash. */
  aud: string;
  accountId: string;
  sessionId: string | null;
  artifactId: string | null;
  tokenId: string | null;
  appId: string | null;
  /** Unix ms */
  expiresAt: number | null;
  /** `kid` of the record's data key. */
  keyId: string;
}

const BOUND = ['aud', 'accountId', 'sessionId', 'artifactId', 'tokenId', 'appId', 'expiresAt'] as const;
const DATA_KEY_BYTES = 32;

/** The data key in an opened grant, or null when any of it is not as in the terms. */
export function grantedKey(payload: Uint8Array, terms: GrantTerms): Buffer | null {
  const sealed = parse(payload);
  if (!sealed || BOUND.some((name) => (sealed[name] ?? null) !== terms[name])) return null;
  const { kty, kid, k } = (sealed.key ?? {}) as Record<string, unknown>;
  if (kty !== 'oct' || kid !== terms.keyId || typeof k !== 'string') return null;
  const key = Buffer.from(k, 'base64url');
  return key.length === DATA_KEY_BYTES && key.toString('base64url') === k ? key : null;
}

function parse(payload: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

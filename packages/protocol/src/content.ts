import { decode } from 'jose/base64url';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import type { DataKey } from './data-key';
import { findContentFormatViolation, type ContentBinding } from './jwe';

/** Decrypted content of a session or an artifact. */
export interface Content {
  mediaType: string;
  bytes: Uint8Array;
}

/** Thrown when content can't be decrypted or belongs to another place. */
export class ContentError extends Error {
  override readonly name = 'ContentError';
}

/**
 * Encrypts content to a compact JWE whose header is exactly `{alg: "dir", enc: "A256GCM", kid, cty, svc}`
 * (docs/protocol/encryption.md#content).
 */
export function sealContent({ mediaType, bytes }: Content, dataKey: DataKey, place: ContentBinding): Promise<string> {
  return new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: dataKey.kid, cty: mediaType, svc: place })
    .encrypt(decode(dataKey.k));
}

/**
 * Decrypts content and verifies its place, since the service could have moved it.
 * @throws ContentError when its header, key or place is unexpected, or when it was modified
 */
export async function openContent(text: string, dataKey: DataKey, place: ContentBinding): Promise<Content> {
  const violation = findContentFormatViolation(text, dataKey.kid, place);
  if (violation) throw new ContentError(`The content ${violation}.`);
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(text, decode(dataKey.k), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return { mediaType: protectedHeader.cty ?? '', bytes: plaintext };
  } catch (error) {
    throw new ContentError('The content cannot be decrypted: it was modified or encrypted with another key.', {
      cause: error,
    });
  }
}

import { compactDecrypt, CompactEncrypt } from 'jose';
import { contentFault, type ContentPlace } from '../../wire';
import type { DataKey } from './data-key';

/** A text of a session or artifact, in the clear. */
export interface Content {
  mediaType: string;
  bytes: Uint8Array;
}

/** A text that does not open, or belongs elsewhere. */
export class ContentError extends Error {
  override readonly name = 'ContentError';
}

/** Compact JWE whose header is exactly `{alg: "dir", enc: "A256GCM", kid, cty, svc}` (encryption.md, Content). */
export function sealContent({ mediaType, bytes }: Content, dataKey: DataKey, place: ContentPlace): Promise<string> {
  return new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: dataKey.kid, cty: mediaType, svc: place })
    .encrypt(keyBytes(dataKey));
}

/**
 * Opens a text where it stands; the service is not trusted to have put it there.
 * @throws ContentError when its header, its key or its place is another, or it was changed
 */
export async function openContent(text: string, dataKey: DataKey, place: ContentPlace): Promise<Content> {
  const fault = contentFault(text, dataKey.kid, place);
  if (fault) throw new ContentError(`The text ${fault}.`);
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(text, keyBytes(dataKey), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return { mediaType: protectedHeader.cty ?? '', bytes: plaintext };
  } catch (error) {
    throw new ContentError('The text does not open: it was changed, or is under another key.', {
      cause: error,
    });
  }
}

const keyBytes = ({ k }: DataKey): Uint8Array => Buffer.from(k, 'base64url');

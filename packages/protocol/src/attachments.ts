/** Files that a caller sends with a message (docs/protocol/relay.md#attachments). */
import { buildMessageBinding, type ContentBinding } from './jwe';

export const MAX_ATTACHMENTS = 8;
/** Bytes of all attachments of a message that are in the call itself. */
export const MAX_ATTACHMENT_BYTES = 716_800;
/** Characters of all sealed attachments of a message. */
export const MAX_SEALED_ATTACHMENT_LENGTH = 960_000;

/** Media type of a sealed attachment, see {@link encodeAttachment}. */
export const SEALED_ATTACHMENT_MEDIA_TYPE = 'application/vnd.external-api.attachment';

/** A file in the call: its bytes, the same sealed by the caller, or an artifact that the device has. */
export type AttachmentParams =
  | {
      name: string;
      /** What the caller takes it for; null if it doesn't say. */
      mediaType: string | null;
      /** base64 */
      data: string;
    }
  | { sealedContent: string }
  | { artifactId: string };

/** A file with its name. */
export interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

/** Place of a sealed attachment: that of its message, and its number among the attachments from 1. */
export const buildAttachmentBinding = (accountId: string, tag: string, localId: string, n: number): ContentBinding => ({
  ...buildMessageBinding(accountId, tag, localId, 'user'),
  f: n,
});

/** Returns what the caller seals: a line of JSON with the name, and the bytes of the file. */
export function encodeAttachment({ name, bytes }: NamedFile): Uint8Array {
  const head = new TextEncoder().encode(`${JSON.stringify({ name })}\n`);
  const encoded = new Uint8Array(head.length + bytes.length);
  encoded.set(head);
  encoded.set(bytes, head.length);
  return encoded;
}

/** Returns the file of a sealed attachment. Other members of its line are ignored. @throws Error when it has no name */
export function decodeAttachment(encoded: Uint8Array): NamedFile {
  const end = encoded.indexOf(0x0a);
  const head = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(encoded.subarray(0, Math.max(0, end)))) as {
    name?: unknown;
  } | null;
  if (typeof head?.name !== 'string') throw new Error('The attachment has no name.');
  return { name: head.name, bytes: encoded.subarray(end + 1) };
}

export interface AttachedParams {
  /** Files that come with a message, at most 8. Only for devices that declare `session.attachments`. */
  attachments?: AttachmentParams[];
}

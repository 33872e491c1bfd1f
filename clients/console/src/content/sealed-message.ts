import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '@external-api/protocol/portable';
import type { SessionOpener } from './content-opener';

/** Body of a message that this browser has encrypted (docs/protocol/encryption.md#sealed-messages). */
export interface SealedMessage {
  sealedContent: string;
  localId: string;
  waitMs: number;
  attachments?: { sealedContent: string }[];
}

/** Encrypts a message with its files. A repeated call sends the same body. */
export async function sealMessage(opener: SessionOpener, text: string, files: readonly File[]): Promise<SealedMessage> {
  const localId = `web-${crypto.randomUUID()}`;
  const sealed = await Promise.all(
    files.map(async (file, index) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      return { sealedContent: await opener.sealAttachment({ name: file.name, bytes }, localId, index + 1) };
    }),
  );
  const sealedContent = await opener.sealUserMessage(text, localId);
  return { sealedContent, localId, waitMs: 0, ...(sealed.length > 0 && { attachments: sealed }) };
}

/** Returns why these files can't be sent, as a sentence; empty if they can. */
export function findFileProblem(files: readonly Pick<File, 'size'>[]): string {
  if (files.length > MAX_ATTACHMENTS) return `At most ${MAX_ATTACHMENTS} files can be sent with a message.`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const maxKib = MAX_ATTACHMENT_BYTES / 1_024;
  return bytes > MAX_ATTACHMENT_BYTES ? `The files are larger than ${maxKib} KiB together.` : '';
}

import { detectFileType } from '../artifacts/file-type';
import type { TurnAttachment, TurnPrompt } from './turn-prompt';

/** The turn that a file came with. */
export interface TurnOfFile {
  sessionId: string;
  id: string;
}

/** A file of a message, with its artifact. */
export interface AttachedFile {
  name: string;
  /** By content. */
  mediaType: string;
  bytes: Buffer;
  /** Tag of the artifact. */
  tag: string;
  /** Whether there is such an artifact. Otherwise, it is still to be stored. */
  isStored: boolean;
}

/**
 * Returns a file whose bytes came with the message. Its tag is the same after a restart.
 * @param n number among the attachments of the message, from 1
 */
export function createAttachedFile(turn: TurnOfFile, n: number, { name, data }: { name: string; data: string }) {
  const bytes = Buffer.from(data, 'base64');
  const { mediaType, extension } = detectFileType(bytes);
  const tag = `${turn.sessionId}/${turn.id}/message-${n}${extension}`;
  return { name: name || `file${extension}`, mediaType, bytes, tag, isStored: false } satisfies AttachedFile;
}

/** Returns the user's message for the history, which names the artifacts of its files. */
export function formatUserMessage(turn: TurnOfFile, { text, attachments }: TurnPrompt): string {
  const links = attachments.map((attachment, index) => {
    const { name, tag } = findNameAndTag(turn, index + 1, attachment);
    return `[${name}](artifact:${tag})`;
  });
  return links.length === 0 ? text : `${text}\n\n${links.join('\n')}`;
}

const findNameAndTag = (turn: TurnOfFile, n: number, attachment: TurnAttachment): { name: string; tag: string } =>
  'tag' in attachment ? attachment : createAttachedFile(turn, n, attachment);

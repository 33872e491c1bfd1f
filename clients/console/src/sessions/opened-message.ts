import { type Content, ContentError } from '@external-api/protocol/portable';
import { decodeText, type SessionOpener } from '../content/content-opener';
import type { MessageRecord } from '../content/records';

/** Tool call of an agent (docs/protocol/device-api.md#reference-device). */
export interface ToolCall {
  title: string;
  kind: string;
  status: string;
  output: string;
  /** Null if the agent tells none. */
  exitCode: number | null;
  diff: string;
}

/** File that came with a message of the user, which is an artifact. */
export interface AttachedArtifact {
  name: string;
  tag: string;
}

export type MessageBody =
  | { kind: 'text'; text: string; files?: AttachedArtifact[] }
  | { kind: 'tool'; toolCall: ToolCall }
  | { kind: 'binary'; mediaType: string; size: number }
  | { kind: 'unreadable'; reason: string };

/** Message with its decrypted content. One that can't be decrypted doesn't hide the others. */
export interface OpenedMessage extends Omit<MessageRecord, 'content'> {
  body: MessageBody;
}

const TOOL_CALL_MEDIA_TYPE = 'application/vnd.external-api.tool-call+json';

/** @param opener null without keys */
export async function openMessageRecord(
  { content, ...message }: MessageRecord,
  opener: SessionOpener | null,
): Promise<OpenedMessage> {
  if (!opener) return { ...message, body: { kind: 'unreadable', reason: 'This browser has no key for it.' } };
  try {
    return { ...message, body: readMessageBody(await opener.openMessage({ ...message, content }), message.role) };
  } catch (error) {
    const reason = error instanceof ContentError ? error.message : 'The content is malformed.';
    return { ...message, body: { kind: 'unreadable', reason } };
  }
}

function readMessageBody({ mediaType, bytes }: Content, role: MessageRecord['role']): MessageBody {
  const [type = ''] = mediaType.split(';');
  if (type === TOOL_CALL_MEDIA_TYPE) return readToolCall(decodeText(bytes));
  if (type.startsWith('text/') && role === 'user') return readUserText(decodeText(bytes));
  if (type.startsWith('text/') || type.endsWith('json')) return { kind: 'text', text: decodeText(bytes) };
  return { kind: 'binary', mediaType, size: bytes.length };
}

/** The device writes a link for each file at the end (docs/protocol/device-api.md#reference-device). */
function readUserText(text: string): MessageBody {
  const lines = text.split('\n');
  const files: AttachedArtifact[] = [];
  for (;;) {
    const [, name, tag] = /^\[(.*)\]\(artifact:([^\s()]+)\)$/.exec(lines.at(-1) ?? '') ?? [];
    if (name === undefined || tag === undefined) break;
    files.unshift({ name, tag });
    lines.pop();
  }
  return files.length === 0 ? { kind: 'text', text } : { kind: 'text', text: lines.join('\n').trimEnd(), files };
}

/** Shows a tool call without the expected members as text. */
export function readToolCall(text: string): MessageBody {
  try {
    const { title, kind, status, output, exitCode, diff } = JSON.parse(text) as Record<string, unknown>;
    const toText = (value: unknown) => (typeof value === 'string' ? value : '');
    if (typeof title !== 'string') return { kind: 'text', text };
    const details = { kind: toText(kind), status: toText(status), output: toText(output), diff: toText(diff) };
    const code = typeof exitCode === 'number' ? exitCode : null;
    return { kind: 'tool', toolCall: { title, ...details, exitCode: code } };
  } catch {
    return { kind: 'text', text };
  }
}

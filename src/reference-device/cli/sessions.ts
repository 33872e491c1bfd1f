import type { OpenedMessage } from '../content/device-content';
import { UsageError, type Command } from './command';
import { AS_MACHINE } from './kept';
import { printable, printableText, table, when } from './layout';

export const sessionsCommand: Command = {
  name: 'sessions',
  positionals: [],
  summary: 'List the sessions',
  options: AS_MACHINE,
  async run(call) {
    const sessions = await (await call.content()).sessions();
    if (call.json) return call.terminal.json(sessions);
    const rows = sessions.map(({ id, state, messageCount, lastActiveAt, tag }) => [
      id,
      state,
      String(messageCount),
      when(lastActiveAt),
      printable(tag),
    ]);
    call.terminal.line(table(['ID', 'STATE', 'MESSAGES', 'LAST ACTIVE', 'TAG'], rows));
  },
};

export const readCommand: Command = {
  name: 'read',
  positionals: ['SESSION'],
  summary: "Read a session's history, decrypted here",
  options: {
    'after-seq': { value: 'N', help: 'only what came after this message' },
    ...AS_MACHINE,
  },
  async run(call) {
    const afterSeq = sequenceNumber(call.text('after-seq'));
    const content = await call.content();
    const session = await content.session(call.positional(0));
    let unreadable = 0;
    for await (const message of content.history(session, afterSeq)) {
      if (!message.opened) unreadable++;
      if (call.json) call.terminal.json(forScripts(message));
      else call.terminal.line(forPeople(message));
    }
    if (unreadable > 0) throw new Error(`${unreadable} of the messages cannot be read: do not trust this history.`);
  },
};

function forPeople(message: OpenedMessage): string {
  const heading = `#${message.seq}  ${when(message.createdAt)}  ${printable(message.role)}`;
  const text = message.opened
    ? printableText(Buffer.from(message.opened.bytes).toString('utf8'))
    : `[not readable: ${message.fault}]`;
  return `${heading}\n${text.trimEnd()}\n`;
}

/** One object a line. */
function forScripts(message: OpenedMessage) {
  const { id, seq, localId, role, createdAt, opened } = message;
  const record = { id, seq, localId, role, createdAt };
  if (!opened) return { ...record, fault: message.fault };
  return { ...record, mediaType: opened.mediaType, text: Buffer.from(opened.bytes).toString('utf8') };
}

function sequenceNumber(text = '0'): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--after-seq is no whole number: ${text}`);
  return Number(text);
}

import type { Command } from 'commander';
import type { OpenedMessage } from '../content/device-content-client';
import { MACHINE_OPTION, type CommandContext, type MachineOption } from './command-context';
import { parseWholeNumber } from './option-parsers';
import { formatTimestamp, sanitizeLine } from './text-format';

interface ReadCommandOptions extends MachineOption {
  afterSeq: number;
}

/** Adds `sessions` and `read`. */
export function addSessionCommands(program: Command, context: CommandContext): void {
  program
    .command('sessions')
    .description('List the sessions')
    .option(...MACHINE_OPTION)
    .action((options: MachineOption) => listSessions(context, options));
  program
    .command('read')
    .description("Read a session's history and decrypt it on this computer")
    .argument('<session>', 'id or tag of the session')
    .option('--after-seq <number>', 'only messages after this sequence number', parseWholeNumber, 0)
    .option(...MACHINE_OPTION)
    .action((idOrTag: string, options: ReadCommandOptions) => readSession(context, idOrTag, options));
}

async function listSessions(context: CommandContext, options: MachineOption): Promise<void> {
  const sessions = await (await context.openContent(options)).listSessions();
  if (context.isJsonOutput) return context.terminal.writeJson(sessions);
  const rows = sessions.map(({ id, state, messageCount, lastActiveAt, tag }) => [
    id,
    state,
    String(messageCount),
    formatTimestamp(lastActiveAt),
    tag,
  ]);
  context.terminal.writeTable(['ID', 'STATE', 'MESSAGES', 'LAST ACTIVE', 'TAG'], rows);
}

async function readSession(context: CommandContext, idOrTag: string, options: ReadCommandOptions): Promise<void> {
  const content = await context.openContent(options);
  const session = await content.getSession(idOrTag);
  let unreadableCount = 0;
  for await (const message of content.readHistory(session, options.afterSeq)) {
    if (!message.opened) unreadableCount++;
    if (context.isJsonOutput) context.terminal.writeJson(toJsonMessage(message));
    else context.terminal.writeLine(formatMessage(message));
  }
  if (unreadableCount > 0)
    throw new Error(`${unreadableCount} messages could not be decrypted. Don't trust this history.`);
}

function formatMessage(message: OpenedMessage): string {
  const heading = `#${message.seq}  ${formatTimestamp(message.createdAt)}  ${sanitizeLine(message.role)}`;
  const text = message.opened
    ? Buffer.from(message.opened.bytes).toString('utf8')
    : `[unreadable: ${message.failureReason}]`;
  return `${heading}\n${text.trimEnd()}\n`;
}

/** Shape of one JSON line. */
function toJsonMessage(message: OpenedMessage) {
  const { id, seq, localId, role, createdAt, opened } = message;
  const record = { id, seq, localId, role, createdAt };
  if (!opened) return { ...record, fault: message.failureReason };
  return { ...record, mediaType: opened.mediaType, text: Buffer.from(opened.bytes).toString('utf8') };
}

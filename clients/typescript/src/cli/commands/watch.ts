import type { EventType, StreamEvent } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import { formatClockTime } from '../output/relative-time.ts';
import { padEnd } from '../output/text-layout.ts';
import { ProgressLines } from '../progress-lines.ts';
import { resolveSessionId } from '../resolve-names.ts';

const TYPE_WIDTH = 22;

export const watch: CommandAction = async (context, input) => {
  const { terminal } = context;
  const session = input.findArgument('SESSION');
  const isWithProgress = input.hasFlag('progress');
  const isWithContent = isWithProgress || input.hasFlag('content');
  if (isWithContent && session === undefined) throw new UsageError('--content and --progress need a session.');
  const types = input.listNames('types') as EventType[];
  const client = context.createClient();
  const events = client.events({
    sessionId: session === undefined ? undefined : await resolveSessionId(client, session),
    after: input.findOption('after'),
    types: types.length > 0 ? types : undefined,
    content: isWithContent ? 'plaintext' : undefined,
    deltas: isWithProgress ? ['tool', 'plan'] : undefined,
    onDisconnect: (error) => {
      if (error && !terminal.isJson) terminal.showStatus('The connection was lost. Connecting again ...');
    },
  });
  const progress = new ProgressLines();
  for await (const event of events) {
    if (terminal.isJson) terminal.writeJson(event);
    else if (event.type === 'stream.opened') terminal.writeNotice('Watching. Press Ctrl-C to stop.');
    else if (event.type === 'delta') {
      // Those without a kind are parts of a message that follows.
      for (const line of progress.listNewLines(event.data)) terminal.writeLine(terminal.show(line));
    } else writeEvent(context, event);
  }
};

function writeEvent({ terminal }: CommandContext, { type, timestamp, data }: StreamEvent): void {
  const time = terminal.style('dim', formatClockTime(timestamp ?? Date.now()));
  const summary = terminal.show(summarize(type, data));
  const isNarrow = terminal.width < 72;
  terminal.writeLine(isNarrow ? `${time} ${type}` : `${time}  ${padEnd(type, TYPE_WIDTH)}  ${summary}`.trimEnd());
  if (isNarrow && summary !== '') terminal.writeParagraph(summary, '         ');
  const text = readContent(data);
  if (text !== undefined) terminal.writeLine(terminal.showText(text).trimEnd().replace(/^/gm, '          '));
}

/** Returns the most telling fields of a record. */
function summarize(type: string, data: Record<string, unknown>): string {
  const [subject = ''] = type.split('.');
  const fields: Record<string, readonly string[]> = {
    message: ['sessionId', 'role'],
    turn: ['id', 'state', 'errorCode'],
    permission: ['id', 'kind', 'state'],
    machine: ['name', 'id'],
    invocation: ['id', 'state', 'exitCode'],
    artifact: ['id', 'mediaType'],
    session: ['id', 'state'],
    relay: ['requestId', 'method', 'outcome'],
    token: ['id', 'name'],
  };
  return (fields[subject] ?? ['id', 'state'])
    .map((name) => data[name])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join('  ');
}

function readContent({ content }: Record<string, unknown>): string | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  const text = (content as { content?: unknown }).content;
  return typeof text === 'string' ? text : undefined;
}

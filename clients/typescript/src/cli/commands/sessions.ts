import { ApiError, SealedContentError, type ExternalApiClient, type Session, type Turn } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { formatContext, formatCost, formatUsage } from '../output/amounts.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { cutText } from '../output/text-layout.ts';
import { resolveMachineId, resolveSessionId } from '../resolve-names.ts';
import { styleTurnState } from '../turns.ts';

const DEFAULT_LIMIT = 30;
const SHOWN_TURNS = 5;
/** Titles that are read at once. Beyond the rate limit, each batch waits for a minute, and no call for too long. */
const READS_AT_ONCE = 30;
/** So much of a title fits into 80 columns, beside the ID and the state. */
const MAX_TITLE_WIDTH = 30;

export const listSessions: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const limit = input.findWholeNumber('limit') ?? DEFAULT_LIMIT;
  const machine = input.findOption('machine');
  const query = {
    state: input.findOption('state') as Session['state'] | undefined,
    machineId: machine === undefined ? undefined : await resolveMachineId(client, machine),
    limit: Math.min(limit, 200),
  };
  const sessions = await client.sessions.list(query).toArray(limit);
  const readable: (Session & { title: string | null; cwd: string | null })[] = [];
  for (let start = 0; start < sessions.length; start += READS_AT_ONCE) {
    const some = sessions.slice(start, start + READS_AT_ONCE);
    readable.push(...(await Promise.all(some.map(async (one) => ({ ...one, ...(await readContent(client, one)) })))));
  }
  if (terminal.isJson) return terminal.writeJson(readable);
  if (sessions.length === 0) return terminal.writeNotice('There are no sessions. Start one: xapi start MACHINE');
  const columns = [
    { title: 'ID' },
    { title: 'STATE' },
    { title: 'TITLE', priority: 1 },
    { title: 'ACTIVE', priority: 2 },
    { title: 'AGENT', priority: 3 },
    { title: 'MESSAGES', priority: 5 },
    { title: 'CONTEXT', priority: 4 },
  ];
  const titleWidth = terminal.isOutputTerminal ? MAX_TITLE_WIDTH : Infinity;
  terminal.writeTable(
    columns,
    readable.map((session) => [
      session.id,
      formatState(context, session),
      cutText(terminal.show(getTitle(session)), titleWidth),
      formatRelativeTime(session.lastActiveAt, context.now),
      session.agent?.name ?? '-',
      String(session.messageCount),
      formatContext(session.context),
    ]),
  );
};

export const showSession: CommandAction = async (context, input) => {
  const { terminal } = context;
  const client = context.createClient();
  const id = await resolveSessionId(client, input.getArgument('SESSION'));
  const session = await client.sessions.get(id);
  const turns = await client.sessions.turns(id, { limit: SHOWN_TURNS }).toArray(SHOWN_TURNS);
  const content = await readContent(client, session);
  if (terminal.isJson) return terminal.writeJson({ ...session, ...content, turns });
  const { agent } = session;
  terminal.writeFields([
    ['ID', session.id],
    ['Title', content.title === null ? '-' : terminal.show(content.title)],
    ['Folder', content.cwd === null ? '-' : terminal.show(content.cwd)],
    ['Tag', terminal.show(session.tag)],
    ['State', formatState(context, session)],
    ['Agent', agent ? terminal.show([agent.title ?? agent.name, agent.mode].filter(Boolean).join(', ')) : '-'],
    ['Context', formatContext(session.context)],
    ['Machine', session.machineId ?? '-'],
    ['Messages', `${session.messageCount}, ${session.contentGranted ? 'readable' : 'not shared with this token'}`],
    ['Created', formatRelativeTime(session.createdAt, context.now)],
    ['Active', formatRelativeTime(session.lastActiveAt, context.now)],
  ]);
  if (turns.length === 0) return;
  terminal.writeLine();
  const columns = [
    { title: 'TURN' },
    { title: 'STATE' },
    { title: 'BEGAN', priority: 1 },
    { title: 'BY', priority: 4 },
    { title: 'ACTIVE', priority: 2 },
    { title: 'TOKENS', priority: 5 },
    { title: 'COST', priority: 3 },
  ];
  terminal.writeTable(
    columns,
    turns.map((turn: Turn) => [
      turn.id,
      styleTurnState(terminal, turn.state),
      formatRelativeTime(turn.createdAt, context.now),
      turn.origin,
      formatRelativeTime(turn.lastActivityAt, context.now),
      formatUsage(turn.usage),
      formatCost(turn.cost),
    ]),
  );
};

/** Without a title, the tag names a session, unless it is only the ID of a call. */
function getTitle({ title, tag }: Session & { title: string | null }): string {
  const text = title ?? tag;
  return text === tag && /^req_[0-9a-z]{26}$/.test(tag) ? '-' : text;
}

/** A session that is not shared with this token, or has no title, is shown with its tag. */
async function readContent(client: ExternalApiClient, { id, contentGranted }: Session) {
  const none = { title: null, cwd: null };
  if (!contentGranted) return none;
  try {
    const { title, cwd } = await client.sessions.content(id);
    return { title, cwd };
  } catch (error) {
    // A call that the rate limit refuses says nothing about the title.
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
    if (isRefused || error instanceof SealedContentError) return none;
    throw error;
  }
}

function formatState({ terminal }: CommandContext, { state, activity }: Session): string {
  if (state === 'ended') return terminal.style('dim', 'ended');
  return activity === 'idle' ? 'idle' : styleTurnState(terminal, activity);
}

import { ApiError, SealedContentError, type ExternalApiClient, type Session, type Turn } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { resolveMachineId, resolveSessionId } from '../resolve-names.ts';
import { styleTurnState } from '../turns.ts';

const DEFAULT_LIMIT = 30;
const SHOWN_TURNS = 5;

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
  if (terminal.isJson) return terminal.writeJson(sessions);
  if (sessions.length === 0) return terminal.writeNotice('There are no sessions. Start one: xapi start MACHINE');
  const columns = [
    { title: 'ID' },
    { title: 'STATE' },
    { title: 'AGENT', priority: 2 },
    { title: 'ACTIVE', priority: 1 },
    { title: 'MESSAGES', priority: 4 },
    { title: 'TITLE', priority: 3 },
  ];
  const contents = await Promise.all(sessions.map((session) => readContent(client, session)));
  terminal.writeTable(
    columns,
    sessions.map((session, index) => [
      session.id,
      formatState(context, session),
      session.agent?.name ?? '-',
      formatRelativeTime(session.lastActiveAt, context.now),
      String(session.messageCount),
      terminal.show(contents[index]?.title ?? session.tag),
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
    ['Machine', session.machineId ?? '-'],
    ['Messages', `${session.messageCount}, ${session.contentGranted ? 'readable' : 'not shared with this token'}`],
    ['Created', formatRelativeTime(session.createdAt, context.now)],
    ['Active', formatRelativeTime(session.lastActiveAt, context.now)],
  ]);
  if (turns.length === 0) return;
  terminal.writeLine();
  const columns = [{ title: 'TURN' }, { title: 'STATE' }, { title: 'BEGAN', priority: 1 }];
  terminal.writeTable(
    columns,
    turns.map((turn: Turn) => [
      turn.id,
      styleTurnState(terminal, turn.state),
      formatRelativeTime(turn.createdAt, context.now),
    ]),
  );
};

/** A session that is not shared with this token, or has no title, is shown with its tag. */
async function readContent(client: ExternalApiClient, { id, contentGranted }: Session) {
  const none = { title: null, cwd: null };
  if (!contentGranted) return none;
  try {
    const { title, cwd } = await client.sessions.content(id);
    return { title, cwd };
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
    if (isRefused || error instanceof SealedContentError) return none;
    throw error;
  }
}

function formatState({ terminal }: CommandContext, { state, activity }: Session): string {
  if (state === 'ended') return terminal.style('dim', 'ended');
  return activity === 'idle' ? 'idle' : styleTurnState(terminal, activity);
}

import type { AgentSession, AgentSessionPage, ExternalApiClient } from '../../index.ts';
import { beginSession, readFirstMessage } from '../begin-session.ts';
import type { CommandContext } from '../command-context.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { resolveMachineId } from '../resolve-names.ts';

const DEFAULT_LIMIT = 30;
const MAX_PAGE_SIZE = 100;

/** Which session of which agent to continue. */
interface Choice {
  agent: string | undefined;
  resume: string;
  fork: boolean;
}

export const continueSession: CommandAction = async (context, input) => {
  const { terminal } = context;
  context.requireToken('continue sessions');
  if (input.hasFlag('fork') && input.hasFlag('no-fork'))
    throw new UsageError('--fork and --no-fork exclude one another.');
  const client = context.createClient();
  const message = await readFirstMessage('continue', input);
  const machineId = await resolveMachineId(client, input.getArgument('MACHINE'));
  const resume = input.findOption('session');
  let choice: Choice;
  if (resume !== undefined) choice = { agent: input.findOption('agent'), resume, fork: input.hasFlag('fork') };
  else {
    if (!terminal.isJson) terminal.showStatus('Asking the agents ...');
    const { sessions, problems } = await listSessions(client, machineId, input);
    if (terminal.isJson) return terminal.writeJson({ sessions, problems });
    for (const { agent, message } of problems) terminal.writeNotice(`${agent}: ${message}`);
    if (sessions.length === 0) return terminal.writeNotice('The agents of the machine have no sessions.');
    writeSessions(context, sessions);
    if (!terminal.isInteractive) return terminal.writeNotice('Continue one of them with --session ID.');
    choice = await askUser(context, sessions, input);
  }
  const tag = input.findOption('tag');
  const cwd = input.findOption('cwd');
  return beginSession(context, client, machineId, { ...choice, cwd, tag, ...message }, input);
};

/** Reads as many pages as the limit asks for. */
async function listSessions(
  client: ExternalApiClient,
  machineId: string,
  input: CommandInput,
): Promise<Pick<AgentSessionPage, 'sessions' | 'problems'>> {
  const limit = input.findWholeNumber('limit') ?? DEFAULT_LIMIT;
  const filters = { agent: input.findOption('agent'), cwd: input.findOption('cwd') };
  const all: Pick<AgentSessionPage, 'sessions' | 'problems'> = { sessions: [], problems: [] };
  let cursor: string | undefined;
  do {
    const query = { ...filters, limit: Math.min(limit - all.sessions.length, MAX_PAGE_SIZE), cursor };
    const { sessions, problems, nextCursor } = await client.machines.listAgentSessions(machineId, query);
    all.sessions.push(...sessions);
    all.problems.push(...problems);
    if (nextCursor !== null && nextCursor === cursor)
      throw new CliError('The list does not advance: the machine repeated a cursor.', { code: 'unexpected_response' });
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && all.sessions.length < limit);
  return all;
}

function writeSessions({ terminal, now }: CommandContext, sessions: readonly AgentSession[]): void {
  const columns = [
    { title: '#' },
    { title: 'TITLE' },
    { title: 'AGENT', priority: 1 },
    { title: 'USED', priority: 2 },
    { title: 'FOLDER', priority: 3 },
    { title: 'CONTINUED BY', priority: 4 },
    { title: 'ID', priority: 5 },
  ];
  const rows = sessions.map(({ title, agent, updatedAt, cwd, sessionId, agentSessionId }, index) => [
    String(index + 1),
    terminal.show(title ?? '-'),
    terminal.show(agent),
    formatRelativeTime(updatedAt === null ? null : Date.parse(updatedAt), now),
    terminal.show(cwd),
    sessionId ?? '-',
    agentSessionId,
  ]);
  terminal.writeTable(columns, rows);
}

async function askUser(
  { terminal }: CommandContext,
  sessions: readonly AgentSession[],
  input: CommandInput,
): Promise<Choice> {
  const count = sessions.length;
  const ask = async (question: string): Promise<string> => {
    const answer = await terminal.ask(question);
    if (answer === undefined)
      throw new CliError('Nothing was continued.', { exitCode: EXIT.failed, code: 'undecided' });
    return answer;
  };
  let session: AgentSession | undefined;
  while (!session) {
    const answer = await ask(`Which one? [1-${count}] `);
    if (/^\d+$/.test(answer)) session = sessions[Number(answer) - 1];
  }
  const { agent, agentSessionId: resume, canFork } = session;
  if (input.hasFlag('fork') || input.hasFlag('no-fork')) return { agent, resume, fork: input.hasFlag('fork') };
  if (!canFork) return { agent, resume, fork: false };
  terminal.writeNotice(
    'If it is still open in a terminal, two would write to it. A copy leaves the session in the terminal as it is.',
  );
  for (;;) {
    const answer = await ask('Continue a copy? [Y/n] ');
    if (/^(y(es)?)?$/i.test(answer)) return { agent, resume, fork: true };
    if (/^no?$/i.test(answer)) return { agent, resume, fork: false };
  }
}

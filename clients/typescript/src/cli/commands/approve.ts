import type { PermissionRequest, StartedTurn } from '../../index.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { findPendingRequests, isQuestion, requireSingle } from './pending-requests.ts';

/** Content of a permission request (docs/protocol/agents.md#content). */
interface Question {
  title: string;
  input: unknown;
  options: { optionId: string; name: string }[];
  diff?: string;
}

type Decision = { decision: 'allow' | 'reject' } | { optionId: string };

export const approve: CommandAction = async (context, input) => {
  const { terminal } = context;
  context.requireToken('decide on permission requests');
  const choices = [isAllowed(input), input.hasFlag('reject'), input.findOption('option') !== undefined];
  if (choices.filter(Boolean).length > 1) throw new UsageError('--allow, --reject and --option exclude one another.');
  const known = findKnownDecision(input);
  const message = input.findOption('message');
  if (!known && !terminal.isInteractive)
    throw new UsageError('There is no terminal to ask on.', 'Decide with --allow, --reject or --option.');
  const client = context.createClient();
  const pending = await findPendingRequests(client, input.getArgument('SESSION|PERMISSION'));
  const requests = pending.filter((request) => !isQuestion(request));
  if (requests.length === 0)
    throw new CliError('The agent asks a question. Answer it with xapi answer.', { code: 'is_question' });
  if (message !== undefined) requireSingle(requests);
  const decided: object[] = [];
  let nextTurn: StartedTurn | undefined;
  for (const request of requests) {
    const { text, contentHash } = await client.sessions.permissionContent(request.sessionId, request.id);
    const question = JSON.parse(text) as Question;
    if (!terminal.isJson || !known) showQuestion(context, request, question);
    const decision = known ?? (await askUser(context));
    const { state, optionId, turn } = await client.sessions.decide(request.sessionId, request.id, {
      ...decision,
      contentHash,
      ...(message !== undefined && { message }),
    });
    nextTurn = turn;
    const { id, sessionId, turnId } = request;
    if (terminal.isJson) decided.push({ id, sessionId, turnId, state, optionId, ...(turn && { nextTurnId: turn.id }) });
    else
      terminal.writeLine(
        terminal.style(state === 'allowed' ? 'green' : 'red', `${state === 'allowed' ? 'Allowed' : 'Rejected'}.`),
      );
  }
  if (terminal.isJson) return terminal.writeJson(decided);
  const [first] = requests;
  if (first)
    terminal.writeNotice(`Wait for the agent:\n  xapi wait ${first.sessionId} ${nextTurn?.id ?? first.turnId}`);
};

const isAllowed = (input: CommandInput) => input.hasFlag('allow') || input.hasFlag('yes');

function findKnownDecision(input: CommandInput): Decision | undefined {
  const optionId = input.findOption('option');
  if (optionId !== undefined) return { optionId };
  if (isAllowed(input)) return { decision: 'allow' };
  return input.hasFlag('reject') ? { decision: 'reject' } : undefined;
}

/** Writes all that the agent asks. With JSON, it belongs to the dialogue and not to the result. */
function showQuestion(
  context: CommandContext,
  request: PermissionRequest,
  { title, input, options, diff }: Question,
): void {
  const { terminal } = context;
  const lines = [
    terminal.style('bold', terminal.show(title)),
    `${request.kind} in ${request.sessionId}`,
    `Expires ${formatRelativeTime(request.expiresAt, context.now)}`,
    '',
    terminal.showText(typeof input === 'string' ? input : JSON.stringify(input, null, 2)),
    ...(diff === undefined ? [] : ['', colorDiff(context, diff)]),
    '',
    `Options: ${options.map(({ optionId, name }) => `${terminal.show(name)} (${terminal.show(optionId)})`).join(', ')}`,
  ];
  if (terminal.isJson) terminal.writeNotice(lines.join('\n'));
  else terminal.writeLine(`${lines.join('\n')}\n`);
}

function colorDiff({ terminal }: CommandContext, diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      const text = terminal.showText(line);
      if (line.startsWith('+')) return terminal.style('green', text);
      return line.startsWith('-') ? terminal.style('red', text) : text;
    })
    .join('\n');
}

async function askUser({ terminal }: CommandContext): Promise<Decision> {
  for (;;) {
    const answer = await terminal.ask('Allow it? [y/n] ');
    if (answer === undefined) throw new CliError('Nothing was decided.', { exitCode: EXIT.failed, code: 'undecided' });
    if (/^y(es)?$/i.test(answer)) return { decision: 'allow' };
    if (/^no?$/i.test(answer)) return { decision: 'reject' };
  }
}

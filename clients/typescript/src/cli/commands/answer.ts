import { ApiError, type Answers, type PermissionRequest, type QuestionContent, type StartedTurn } from '../../index.ts';
import type { CommandInput } from '../command-line/command-input.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { formatAnswer, getChoices, parseAnswer } from './form-fields.ts';
import { findPendingRequests, isQuestion, requireSingle } from './pending-requests.ts';

export const answer: CommandAction = async (context, input) => {
  const { terminal } = context;
  context.requireToken('answer questions');
  const values = input.listOption('set');
  const isKnown = input.hasFlag('decline') || input.hasFlag('defaults') || values.length > 0;
  if (input.hasFlag('decline') && (input.hasFlag('defaults') || values.length > 0))
    throw new UsageError('--decline excludes --set and --defaults.');
  if (!isKnown && !terminal.isInteractive)
    throw new UsageError('There is no terminal to ask on.', 'Answer with --set NAME=VALUE, --defaults or --decline.');
  const message = input.findOption('message');
  const client = context.createClient();
  const questions = (await findPendingRequests(client, input.getArgument('SESSION|QUESTION'))).filter(isQuestion);
  if (questions.length === 0)
    throw new CliError('The agent asks for permissions only. Decide with xapi approve.', { code: 'not_a_question' });
  if (values.length > 0 || message !== undefined) requireSingle(questions);
  const decided: object[] = [];
  let nextTurn: StartedTurn | undefined;
  for (const question of questions) {
    const { text, contentHash } = await client.sessions.permissionContent(question.sessionId, question.id);
    const content = JSON.parse(text) as QuestionContent;
    if (!terminal.isJson || !isKnown) showQuestion(context, question, content);
    const { id, sessionId, turnId } = question;
    const send = (answers: Answers | null) => client.sessions.answer(sessionId, id, answers, contentHash, { message });
    const { state, turn } = isKnown
      ? await send(readKnownAnswers(input, content))
      : await askUntilAccepted(context, content, send);
    nextTurn = turn;
    if (terminal.isJson) decided.push({ id, sessionId, turnId, state, ...(turn && { nextTurnId: turn.id }) });
    else terminal.writeLine(terminal.style('green', state === 'allowed' ? 'Answered.' : 'Declined.'));
  }
  if (terminal.isJson) return terminal.writeJson(decided);
  const [first] = questions;
  if (first)
    terminal.writeNotice(`Wait for the agent:\n  xapi wait ${first.sessionId} ${nextTurn?.id ?? first.turnId}`);
};

/** Returns null to decline. */
function readKnownAnswers(input: CommandInput, { schema }: QuestionContent): Answers | null {
  if (input.hasFlag('decline')) return null;
  const fields = Object.entries(schema.properties);
  const defaults = fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]]));
  const given = input.listOption('set').map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    const [, field] = fields.find(([known]) => known === name) ?? [];
    if (field) return [name, parseAnswer(name, field, value)];
    throw new UsageError(
      `There is no field ${JSON.stringify(name || text)}.`,
      `--set takes NAME=VALUE of ${fields.map(([known]) => known).join(', ')}.`,
    );
  });
  return Object.fromEntries([...(input.hasFlag('defaults') ? defaults : []), ...given]) as Answers;
}

/** Writes what the agent asks. With JSON, it belongs to the dialogue and not to the result. */
function showQuestion(
  { terminal, now }: CommandContext,
  { sessionId, expiresAt }: PermissionRequest,
  { title, message, schema }: QuestionContent,
): void {
  const lines = [
    terminal.style('bold', terminal.show(title)),
    `question in ${sessionId}`,
    `Expires ${formatRelativeTime(expiresAt, now)}`,
    ...(message === '' ? [] : ['', terminal.showText(message)]),
    ...(schema.description === undefined ? [] : ['', terminal.showText(schema.description)]),
  ];
  if (terminal.isJson) terminal.writeNotice(lines.join('\n'));
  else terminal.writeLine(`${lines.join('\n')}\n`);
}

/** Asks again if the device finds that the answers don't fit. */
async function askUntilAccepted<Result>(
  context: CommandContext,
  content: QuestionContent,
  send: (answers: Answers | null) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await send(await askForAnswers(context, content));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error;
      context.terminal.writeNotice(context.terminal.show(error.message));
    }
  }
}

async function askForAnswers(context: CommandContext, { schema }: QuestionContent): Promise<Answers | null> {
  const { terminal } = context;
  if (/^no?$/i.test(await ask(context, 'Answer it? [Y/n] '))) return null;
  const answers: [string, Answers[string]][] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    const isRequired = schema.required.includes(name);
    const { title = name, description } = field;
    terminal.writeNotice(
      [
        `${terminal.show(title)}${isRequired ? '' : ' (optional)'}`,
        ...(description === undefined ? [] : [terminal.showText(description)]),
        ...(getChoices(field) ?? []).map(
          (choice, index) =>
            `  ${index + 1}  ${terminal.show(choice.title)}${choice.description ? `: ${terminal.show(choice.description)}` : ''}`,
        ),
      ].join('\n'),
    );
    const shownDefault = field.default === undefined ? '' : ` [${terminal.show(formatAnswer(field.default))}]`;
    for (;;) {
      const text = await ask(context, `${terminal.show(name)}${shownDefault}: `);
      try {
        const value = text === '' ? field.default : parseAnswer(name, field, text);
        if (value === undefined && isRequired) throw new UsageError(`${name} is required.`);
        if (value !== undefined) answers.push([name, value]);
        break;
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        terminal.writeNotice(terminal.show(error.message));
      }
    }
  }
  return Object.fromEntries(answers);
}

async function ask({ terminal }: CommandContext, prompt: string): Promise<string> {
  const text = await terminal.ask(prompt);
  if (text === undefined) throw new CliError('Nothing was answered.', { exitCode: EXIT.failed, code: 'undecided' });
  return text.trim();
}

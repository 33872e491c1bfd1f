import {
  buildAnswersBinding,
  buildDecisionMessageBinding,
  findAnswersFormatViolation,
  MAX_DECISION_MESSAGE_LENGTH,
  openContent,
  type AnswerQuestionParams,
  type Answers,
  type ContentBinding,
  type DecidePermissionParams,
  type DecidePermissionRequest,
  type DecidePermissionResult,
  type SelectOptionParams,
} from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import type { HostedSession } from '../history/session-history';
import type { RelayMethodHandler } from '../machine/relay-request-handler';
import type { AgentSessionRegistry } from '../sessions/agent-session-registry';
import type { TurnAcceptance } from '../turns/turn-acceptance';
import type { Precedence, TurnQueue } from '../turns/turn-queue';
import type { ExecutedDecision, PermissionRegistry } from './permission-registry';

export interface DecisionHandlerDependencies {
  permissions: PermissionRegistry;
  acceptance: TurnAcceptance;
  sessions: AgentSessionRegistry;
}

/**
 * Executes decisions, and decrypts what is sealed first (docs/protocol/encryption.md#sealed-answers). A message that
 * comes with one begins the next turn of the session.
 */
export function createDecisionHandler({
  permissions,
  acceptance,
  sessions,
}: DecisionHandlerDependencies): RelayMethodHandler<'session.permission'> {
  return async (request) => {
    const { sessionId, params } = request;
    const queue = sessions.findQueue(sessionId);
    const decision = await openDecision(params, queue?.session.hosted);
    const message = await openMessage(params, queue?.session.hosted);
    const decide = (): ExecutedDecision => {
      try {
        return permissions.decideRequest(sessionId, decision);
      } catch (error) {
        throw 'sealedAnswers' in params ? hideViolation(error) : error;
      }
    };
    if (message === undefined || !queue) return decide().result;
    return queue.holdTurns(() => decideWithMessage(acceptance, queue, request, message, decide));
  };
}

/**
 * Decides, and begins the turn of the message in the same moment: a message of a decision that doesn't count is not
 * sent. A rejection ends the turn whose agent has asked.
 * @throws CommandError of the decision and of a message; then nothing was decided. `internal` if the disk is full,
 *   whose message says that it was
 */
async function decideWithMessage(
  acceptance: TurnAcceptance,
  queue: TurnQueue,
  request: DecidePermissionRequest,
  content: string,
  decide: () => ExecutedDecision,
): Promise<DecidePermissionResult> {
  const decided: { decision?: ExecutedDecision } = {};
  const claimPrecedence = (): Precedence => {
    const { result, turn } = (decided.decision = decide());
    return result.state === 'rejected' ? { ends: turn } : {};
  };
  try {
    const turn = await acceptance.acceptMessage(queue, request, { content }, { claimPrecedence });
    // A repeated call that has begun its turn before a restart finds no request that is pending.
    const { result } = decided.decision ?? decide();
    return { ...result, turn: turn.summary };
  } catch (error) {
    if (!decided.decision) throw error;
    const reason = error instanceof Error ? error.message : '';
    throw new CommandError('internal', `The decision was executed, but its message was lost. ${reason}`);
  }
}

/** @throws CommandError `invalid_content` for text that can't be decrypted, or that isn't answers to this question */
async function openDecision(
  params: DecidePermissionParams,
  session: HostedSession | undefined,
): Promise<SelectOptionParams | AnswerQuestionParams> {
  if (!('sealedAnswers' in params)) return params;
  const { localId, contentHash, sealedAnswers } = params;
  const answers = parseJson(await openSealed(sealedAnswers, session, contentHash, buildAnswersBinding));
  if (findAnswersFormatViolation(answers)) throw new CommandError('invalid_content', 'The content is not answers.');
  return { localId, contentHash, answers: answers as Answers };
}

/** @throws CommandError `invalid_content` for text that can't be decrypted, or that can't be such a message */
async function openMessage(
  { message, sealedMessage, contentHash }: DecidePermissionParams,
  session: HostedSession | undefined,
): Promise<string | undefined> {
  if (sealedMessage === undefined) return message;
  const text = await openSealed(sealedMessage, session, contentHash, buildDecisionMessageBinding);
  if (text.trim() === '' || text.length > MAX_DECISION_MESSAGE_LENGTH)
    throw new CommandError('invalid_content', 'The content is not a message, or too long for one.');
  return text;
}

async function openSealed(
  sealed: string,
  session: HostedSession | undefined,
  contentHash: string,
  buildBinding: (accountId: string, tag: string, contentHash: string) => ContentBinding,
): Promise<string> {
  if (!session) throw new CommandError('internal', 'This device has no data key of the session.');
  const place = buildBinding(session.accountId, session.tag, contentHash);
  const { bytes } = await openContent(sealed, session.dataKey, place).catch((error: Error) => {
    throw new CommandError('invalid_content', error.message);
  });
  return Buffer.from(bytes).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A sender who seals its answers hides from the service what the form has. */
function hideViolation(error: unknown): unknown {
  const isViolation = error instanceof CommandError && error.code === 'invalid_answers';
  return isViolation ? new CommandError('invalid_answers', 'The answers don’t fit the form.') : error;
}

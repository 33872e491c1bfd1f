import {
  buildAnswersBinding,
  findAnswersFormatViolation,
  openContent,
  type Answers,
  type SealedAnswersParams,
} from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import type { HostedSession } from '../history/session-history';
import type { RelayMethodHandler } from '../machine/relay-request-handler';
import type { PermissionRegistry } from './permission-registry';

/**
 * Executes decisions, and decrypts sealed answers first (docs/protocol/encryption.md#sealed-answers).
 * @param findSession returns a session that this device hosts
 */
export function createDecisionHandler(
  permissions: Pick<PermissionRegistry, 'decideRequest'>,
  findSession: (sessionId: string | undefined) => HostedSession | undefined,
): RelayMethodHandler<'session.permission'> {
  return async ({ sessionId, params }) => {
    if (!('sealedAnswers' in params)) return permissions.decideRequest(sessionId, params);
    const session = findSession(sessionId);
    if (!session) throw new CommandError('internal', 'This device has no data key of the session.');
    const { localId, contentHash } = params;
    const answers = await openAnswers(params, session);
    try {
      return permissions.decideRequest(sessionId, { localId, contentHash, answers });
    } catch (error) {
      throw hideViolation(error);
    }
  };
}

/** @throws CommandError `invalid_content` for text that can't be decrypted, or that isn't answers to this question */
async function openAnswers({ sealedAnswers, contentHash }: SealedAnswersParams, session: HostedSession) {
  const place = buildAnswersBinding(session.accountId, session.tag, contentHash);
  const { bytes } = await openContent(sealedAnswers, session.dataKey, place).catch((error: Error) => {
    throw new CommandError('invalid_content', error.message);
  });
  const answers = parseJson(Buffer.from(bytes).toString());
  if (findAnswersFormatViolation(answers)) throw new CommandError('invalid_content', 'The content is not answers.');
  return answers as Answers;
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

import {
  parseRecipientPublicKey,
  type StartGrantErrorCode,
  type StartGrantResult,
  type StartSessionRequest,
} from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import type { HostedSession } from '../history/session-history';
import type { SignedInDevice } from '../signed-in-device';
import { createKeyGrant } from './key-grants';

const TOKEN_ID = /^tok_[0-9a-z]{26}$/;

/**
 * Validates the key grant that a start asks for, and returns what creates it for the new session
 * (docs/protocol/agents.md#read-what-you-have-started). The device can't verify who has called. So it grants nothing
 * but the session that this call creates, whose data key is new, and only to one personal access token: never to an
 * app, and never without a token, which would be a grant to all of them.
 * @param isAllowed whether the machine's owner allows such grants
 * @throws CommandError `internal` for a request that must not be granted; nothing was started
 */
export async function prepareStartGrant(
  device: SignedInDevice,
  { caller, params: { grant } }: StartSessionRequest,
  isAllowed: boolean,
): Promise<(session: HostedSession) => Promise<StartGrantResult>> {
  if (!grant) return () => Promise.resolve({});
  const { tokenId } = grant;
  if (caller !== 'pat' || !TOKEN_ID.test(tokenId))
    throw new CommandError('internal', 'Invalid request: params.grant is not that of a personal access token.');
  const recipient = grant.recipient === null ? undefined : await parseRecipient(grant.recipient);
  return (session) => {
    if (!isAllowed)
      return Promise.resolve(createRefusal('grants_disabled', 'The owner of the machine has turned off key grants.'));
    return createKeyGrant(device, { object: 'session', id: session.id }, session.dataKey, { tokenId, recipient }).then(
      ({ id }) => ({ grant: { id } }),
      (error: Error) => createRefusal('grant_failed', `The key grant was not created: ${error.message}`),
    );
  };
}

async function parseRecipient(key: object) {
  try {
    return await parseRecipientPublicKey(JSON.stringify(key));
  } catch (error) {
    throw new CommandError('internal', `Invalid request: params.grant.recipient: ${(error as Error).message}`);
  }
}

function createRefusal(code: StartGrantErrorCode, message: string): StartGrantResult {
  return { grant: null, grantError: { code, message } };
}

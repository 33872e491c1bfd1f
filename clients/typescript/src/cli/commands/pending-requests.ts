import type { ExternalApiClient, PermissionRequest } from '../../index.ts';
import { CliError, UsageError } from '../errors.ts';
import { resolveSessionId } from '../resolve-names.ts';

const PERMISSION_ID = /^perm_[0-9a-z]{26}$/;

/** Whether the agent wants a form filled in. Other requests offer options. */
export const isQuestion = ({ options }: PermissionRequest): boolean => options.length === 0;

/** Returns the pending requests of a session, or one request by its ID. */
export async function findPendingRequests(client: ExternalApiClient, id: string): Promise<PermissionRequest[]> {
  if (PERMISSION_ID.test(id)) {
    for await (const session of client.sessions.list({ state: 'active' })) {
      if (session.activity !== 'requires_action') continue;
      const found = (await listPending(client, session.id)).find((request) => request.id === id);
      if (found) return [found];
    }
    throw new CliError(`The request ${id} is not pending.`, { code: 'permission_not_pending' });
  }
  const requests = await listPending(client, await resolveSessionId(client, id));
  if (requests.length > 0) return requests;
  throw new CliError('The agent of this session asks for nothing.', { code: 'permission_not_pending' });
}

/** @throws UsageError if the answers or the message of the command would be for several requests */
export function requireSingle(requests: readonly PermissionRequest[]): void {
  if (requests.length > 1)
    throw new UsageError('The agent asks for several things.', `Name one: ${requests.map(({ id }) => id).join(', ')}`);
}

/** Oldest first, as the agent has asked. */
const listPending = (client: ExternalApiClient, sessionId: string) =>
  client.sessions.permissionRequests(sessionId, { state: 'pending', order: 'asc' }).toArray();

import type { DecidePermissionResult } from '@external-api/protocol';
import type { AccountDevice } from '@external-api/device';
import type { ApiCall, ExternalApiClient } from './external-api-client';
import type { RelayedCall } from './relayed-calls';

const GRANT_TTL_MS = 86_400_000;
/** Longest wait of one call for a turn. */
const WAIT_MS = 25_000;

/** Lets the service decrypt the session's content for this token. */
export async function grantDemoContent(device: AccountDevice, sessionId: string, tokenId: string): Promise<void> {
  const session = await device.content.getSession(sessionId);
  await device.content.createKeyGrant(session, { tokenId, expiresAt: Date.now() + GRANT_TTL_MS });
}

/** Reads what the agent asks, and allows it once. */
export async function approveToolCall(api: ExternalApiClient, sessionId: string): Promise<RelayedCall> {
  const path = `/sessions/${sessionId}/permission-requests`;
  const pending = await api.sendRequest({ method: 'GET', path: `${path}?state=pending` });
  const [request] = pending.body.data as { id: string }[];
  if (!request) throw new Error('The agent asks for no permission.');
  const read = await api.sendRequest({ method: 'GET', path: `${path}/${request.id}/content` });
  const { content, contentHash } = read.body.data as { content: string; contentHash: string };
  const { title } = JSON.parse(content) as { title: string };
  const body = { decision: 'allow', contentHash };
  const apiCall: ApiCall = { method: 'POST', path: `${path}/${request.id}/decision`, body };
  const response = await api.sendRequest(apiCall);
  const { state } = response.body.result as DecidePermissionResult;
  return { apiCall, response, summary: `"${title}": ${state}` };
}

/** Waits for the end of a turn. */
export async function waitForDemoTurn(api: ExternalApiClient, sessionId: string, turnId: string): Promise<string> {
  let turn = { state: 'requires_action', version: 0 };
  // Right after a decision, the record may still say that it is required, so wait for a newer version.
  while (['running', 'requires_action'].includes(turn.state)) {
    const path = `/sessions/${sessionId}/turns/${turnId}?waitMs=${WAIT_MS}&afterVersion=${turn.version}`;
    turn = (await api.sendRequest({ method: 'GET', path })).body.data as typeof turn;
  }
  if (turn.state !== 'completed') throw new Error(`The turn is ${turn.state}.`);
  const messages = await api.sendRequest({ method: 'GET', path: `/sessions/${sessionId}/messages?turnId=${turnId}` });
  const toolCalls = (messages.body.data as { role: string }[]).filter(({ role }) => role === 'tool').length;
  return `${turn.state}, tool calls: ${toolCalls}`;
}

/** Returns what the turn has changed as a patch; null without Git. */
export async function readChanges(api: ExternalApiClient, sessionId: string, turnId: string): Promise<string | null> {
  const artifacts = await api.sendRequest({ method: 'GET', path: `/artifacts?sessionId=${sessionId}` });
  const tag = `${sessionId}/${turnId}.patch`;
  const patch = (artifacts.body.data as { id: string; tag: string }[]).find((artifact) => artifact.tag === tag);
  if (!patch) return null;
  const read = await api.sendRequest({ method: 'GET', path: `/artifacts/${patch.id}/content` });
  return (read.body.data as { content: string }).content;
}

import type { InvokeResult, MessageResult, StartSessionResult } from '@external-api/protocol';
import type { ApiCallResponse, ApiCall, ExternalApiClient } from './external-api-client';

export interface RelayedCall {
  apiCall: ApiCall;
  response: ApiCallResponse;
  /** Short result for the step's line. */
  summary: string;
}

/** Starts a session with the machine's agent. Ends those of earlier runs, because a machine has a limit of them. */
export async function startDemoSession(
  api: ExternalApiClient,
  { machineId, sessionId }: { machineId: string; sessionId: string },
): Promise<RelayedCall & { sessionId: string }> {
  const active = await api.sendRequest({ method: 'GET', path: '/sessions?state=active' });
  for (const session of active.body.data as { id: string; machineId: string | null }[]) {
    if (session.machineId !== machineId || session.id === sessionId) continue;
    await api.sendRequest({ method: 'POST', path: `/sessions/${session.id}/end` });
  }
  const apiCall: ApiCall = { method: 'POST', path: `/machines/${machineId}/sessions`, body: {} };
  const response = await api.sendRequest(apiCall);
  const { sessionId: startedId } = response.body.result as StartSessionResult;
  return { apiCall, response, summary: startedId, sessionId: startedId };
}

/** Sends a message to a session and waits until its turn ends or requires action. */
export async function sendDemoMessage(
  api: ExternalApiClient,
  sessionId: string,
  text: string,
): Promise<RelayedCall & { turnId: string }> {
  const apiCall = buildMessageCall(sessionId, text);
  const response = await api.sendRequest(apiCall);
  const { reply, turn } = response.body.result as MessageResult;
  if (!turn) throw new Error(`The message began no turn: ${JSON.stringify(response.body)}`);
  const summary = reply === null ? turn.state : `${turn.state}, reply: "${shorten(reply)}"`;
  return { apiCall, response, summary, turnId: turn.id };
}

/** Runs a command on the machine. */
export async function runDemoCommand(api: ExternalApiClient, machineId: string): Promise<RelayedCall> {
  const apiCall = buildInvokeCall(machineId, 'uname', ['-sm']);
  const response = await api.sendRequest(apiCall);
  const { exitCode, stdout } = response.body.result as InvokeResult;
  if (exitCode !== 0 || stdout.trim() === '') throw new Error(`The command failed: ${JSON.stringify(response.body)}`);
  return { apiCall, response, summary: `uname -sm → ${stdout.trim()}` };
}

export function buildMessageCall(sessionId: string, content: string): ApiCall {
  return { method: 'POST', path: `/sessions/${sessionId}/messages`, body: { content } };
}

export function buildInvokeCall(machineId: string, command: string, args: string[]): ApiCall {
  return { method: 'POST', path: `/machines/${machineId}/invoke`, body: { command, args } };
}

/** Returns the text on one line of the terminal. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  // Without half a character at the end.
  return line.length <= 60 ? line : `${line.slice(0, 59).replace(/[\ud800-\udbff]$/, '')}…`;
}

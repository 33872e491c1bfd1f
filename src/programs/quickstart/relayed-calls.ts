import type { InvokeResult, MessageResult } from '../../protocol';
import type { ApiCallResponse, ApiCall, ExternalApiClient } from './external-api-client';

const MESSAGE = 'hello from the quickstart';

export interface RelayedCall {
  apiCall: ApiCall;
  response: ApiCallResponse;
  /** Short result for the step's line. */
  summary: string;
}

/** Sends a message to the machine's session, where a program replies to it. */
export async function sendDemoMessage(api: ExternalApiClient, sessionId: string): Promise<RelayedCall> {
  const apiCall = buildMessageCall(sessionId, MESSAGE);
  const response = await api.sendRequest(apiCall);
  const { accepted, reply } = response.body.result as MessageResult;
  if (!accepted || reply !== MESSAGE.toUpperCase())
    throw new Error(`The session did not reply as expected: ${JSON.stringify(response.body)}`);
  return { apiCall, response, summary: `reply: "${reply}"` };
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

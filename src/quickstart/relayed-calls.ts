import type { InvokeResult, MessageResult } from '../wire';
import type { Answer, Call, ExternalApi } from './external-api';

const MESSAGE = 'hello from the quickstart';

export interface Relayed {
  call: Call;
  answer: Answer;
  /** In a few words, for the step's line. */
  summary: string;
}

/** Sends a message into the machine's session, where a program answers it. */
export async function sendMessage(api: ExternalApi, sessionId: string): Promise<Relayed> {
  const call = messageCall(sessionId, MESSAGE);
  const answer = await api.call(call);
  const { accepted, reply } = answer.body.result as MessageResult;
  if (!accepted || reply !== MESSAGE.toUpperCase())
    throw new Error(`The session did not answer as expected: ${JSON.stringify(answer.body)}`);
  return { call, answer, summary: `"${MESSAGE}" → "${reply}"` };
}

/** Runs a command on the machine. */
export async function runCommand(api: ExternalApi, machineId: string): Promise<Relayed> {
  const call = invokeCall(machineId, 'uname', ['-sm']);
  const answer = await api.call(call);
  const { exitCode, stdout } = answer.body.result as InvokeResult;
  if (exitCode !== 0 || stdout.trim() === '')
    throw new Error(`The command did not end well: ${JSON.stringify(answer.body)}`);
  return { call, answer, summary: `uname -sm → ${stdout.trim()}` };
}

export function messageCall(sessionId: string, content: string): Call {
  return { method: 'POST', path: `/sessions/${sessionId}/messages`, body: { content } };
}

export function invokeCall(machineId: string, command: string, args: string[]): Call {
  return { method: 'POST', path: `/machines/${machineId}/invoke`, body: { command, args } };
}

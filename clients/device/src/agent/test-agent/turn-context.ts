import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcError } from '../json-rpc-peer';

/** What a step of the test agent may use. */
export interface ScriptedTurn {
  sessionId: string;
  cwd: string;
  readonly mode: string;
  readonly isModeSet: boolean;
  /** Whether it asks before it changes a file. */
  readonly isAsking: boolean;
  /** Changes the mode without being asked, and reports it. */
  changeMode(mode: string): void;
  switchAllowAll(value: string): void;
  /** Chooses another model without being asked, and reports it. */
  switchModel(model: string): void;
  /** Messages that have joined the turn. */
  readonly steeredTexts: readonly string[];
  readonly chosenOptions: { model: string; effort: string; fast: boolean };
  earlierPrompts: string[];
  /** Blocks of the prompt besides its text. */
  blocks: readonly object[];
  /** Aborted by `session/cancel`. */
  signal: AbortSignal;
  sendUpdate(update: Record<string, unknown>): void;
  sendNotification(method: string): void;
  sendRequest(method: string, params: Record<string, unknown>): Promise<unknown>;
}

let lastCallNumber = 0;

export const createCallId = (): string => `call-${++lastCallNumber}`;

export const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: 'text', text } });

/** Sends the words one by one, as a model would. */
export function say(turn: ScriptedTurn, text: string): void {
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) turn.sendUpdate(chunk('agent_message_chunk', word));
}

export async function waitForFile({ cwd, signal }: ScriptedTurn, name: string): Promise<void> {
  while (!existsSync(join(cwd, name))) await sleep(20, undefined, { signal });
}

export function writeRaw(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

/** Messages that join the turns of the test agent, by session. */
const textsOfTurns = new Map<string, string[]>();

/** Begins a turn, which gets these messages. */
export function beginSteering(sessionId: string): string[] {
  const texts: string[] = [];
  textsOfTurns.set(sessionId, texts);
  return texts;
}

export function endSteering(sessionId: string): void {
  textsOfTurns.delete(sessionId);
}

/** Answers `_session/steering`. With `own-turns`, the agent doesn't know that the client wants to prompt it instead. */
export function steer(
  { sessionId, prompt }: { sessionId: string; prompt: { text: string }[] },
  behavior: ReadonlySet<string>,
): { outcome: string } {
  if (behavior.has('refuse-steering')) throw new JsonRpcError(-32603, 'Not now');
  const texts = textsOfTurns.get(sessionId);
  if (behavior.has('late-steering') || !texts)
    return { outcome: behavior.has('own-turns') ? 'startedNewTurn' : 'promptRequired' };
  texts.push(prompt.map(({ text }) => text).join(' '));
  return { outcome: 'injected' };
}

import { join } from 'node:path';
import type { AgentCommand } from '../../clients/device/src/agent/agent-session';
import { PROJECT_FOLDER } from './bench-process';

const TEST_AGENT = join(PROJECT_FOLDER, 'dist', 'clients', 'device', 'src', 'agent', 'test-agent', 'main.js');

/** Variable of the test agent with a text of 1 KiB, so that the prompt for a thousand of them stays small. */
const TEXT_VARIABLE = 'BENCH_TEXT';
export const TEXT_ENV = { [TEXT_VARIABLE]: 'x'.repeat(1_024) };

/** Prompt for one short message. */
export const SHORT_PROMPT = 'say done';

/** Returns the command of the test agent of the build. */
export function createBenchAgentCommand(): AgentCommand {
  return { name: 'test', command: [process.execPath, TEST_AGENT], environmentNames: [TEXT_VARIABLE], mode: null };
}

/** Returns a prompt for this number of messages of 1 KiB. A thought ends each of them. */
export function createMessagesPrompt(count: number): string {
  return `think .\nenvironment ${TEXT_VARIABLE}\n`.repeat(count).trimEnd();
}

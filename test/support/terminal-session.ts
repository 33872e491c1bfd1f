import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a session of the test agent, as if a person had begun it at the terminal.
 * @param folder `TEST_AGENT_FOLDER` of the agent
 */
export function createTerminalSession(folder: string, id: string, cwd: string, prompts: string[]): void {
  const session = { cwd, mode: 'ask', allowAll: 'off', isModeSet: false, prompts };
  writeFileSync(join(folder, `${id}.json`), JSON.stringify(session));
}

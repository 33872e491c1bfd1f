import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListAgentSessionsResult, RelayAcknowledgement } from '@external-api/protocol';
import { createRequestBase } from './served-machine';

/** Folders of a computer whose user has worked with the test agent at the terminal. */
export class TerminalSessions {
  private readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-')));
  /** The machine's folder. */
  readonly folder = this.createFolder('home');
  private readonly storeFolder = this.createFolder('store');

  constructor(agentOptions = 'orderly-replay') {
    Object.assign(process.env, { TEST_AGENT_FOLDER: this.storeFolder, TEST_AGENT_OPTIONS: agentOptions });
  }

  remove(): void {
    delete process.env.TEST_AGENT_FOLDER;
    delete process.env.TEST_AGENT_OPTIONS;
    rmSync(this.root, { recursive: true });
  }

  /** Creates a folder, beside the machine's if the name doesn't begin with `home/`. */
  createFolder(name: string): string {
    const folder = join(this.root, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  addSession(id: string, prompts: string[], cwd = this.folder): void {
    const session = { cwd, mode: 'ask', allowAll: 'off', isModeSet: false, prompts };
    writeFileSync(join(this.storeFolder, `${id}.json`), JSON.stringify(session));
  }

  /** Lets the agent refuse to load its sessions. */
  refuseLoad(error: object): void {
    writeFileSync(join(this.storeFolder, 'load-error.json'), JSON.stringify(error));
  }

  permitLoad(): void {
    rmSync(join(this.storeFolder, 'load-error.json'));
  }
}

export function createListRequest(params: object = {}) {
  const allParams = { agent: null, cwd: null, limit: 50, cursor: null, ...params };
  return { ...createRequestBase(), machineId: 'mch_1', caller: 'pat', method: 'agent.sessions', params: allParams };
}

/** @throws Error for an answer that is an error */
export function readList(answer: RelayAcknowledgement): ListAgentSessionsResult {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.result as unknown as ListAgentSessionsResult;
}

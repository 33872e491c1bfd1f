import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCommand } from '../../../clients/device/src/agent/agent-session';

/** Agent of docs/agents.md. */
export interface TriedAgent {
  name: string;
  /** Variable with the path of the program, if it is not in PATH. */
  variable: string;
  program: string;
  args: string[];
  mode: string | null;
  /** Writes the agent's settings below this folder, and returns the environment that it needs. */
  configure: (folder: string, modelUrl: string) => Record<string, string>;
}

const KEY = 'none';

export const TRIED_AGENTS: readonly TriedAgent[] = [
  {
    name: 'opencode',
    variable: 'OPENCODE',
    program: 'opencode',
    args: ['acp'],
    mode: null,
    configure: (folder, modelUrl) => {
      const options = { baseURL: `${modelUrl}/v1`, apiKey: KEY };
      const settings = {
        model: 'stub/stub',
        small_model: 'stub/stub',
        autoupdate: false,
        permission: { bash: 'ask', edit: 'ask' },
        provider: { stub: { npm: '@ai-sdk/openai-compatible', options, models: { stub: { tool_call: true } } } },
      };
      return {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        XDG_CONFIG_HOME: join(folder, 'config'),
        XDG_DATA_HOME: join(folder, 'data'),
        XDG_CACHE_HOME: join(folder, 'cache'),
        XDG_STATE_HOME: join(folder, 'state'),
      };
    },
  },
  {
    name: 'qwen',
    variable: 'QWEN',
    program: 'qwen',
    args: ['--acp', '--auth-type', 'openai'],
    mode: 'default',
    configure: (folder, modelUrl) => {
      mkdirSync(join(folder, '.qwen'));
      writeFileSync(
        join(folder, '.qwen', 'settings.json'),
        JSON.stringify({ privacy: { usageStatisticsEnabled: false } }),
      );
      return { OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'stub', HOME: folder };
    },
  },
  {
    name: 'codex',
    variable: 'CODEX_ACP',
    program: 'codex-acp',
    args: [],
    mode: 'auto',
    configure: (folder, modelUrl) => {
      const home = join(folder, '.codex');
      mkdirSync(home);
      const provider = `[model_providers.stub]\nname = "stub"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\n`;
      writeFileSync(join(home, 'config.toml'), `model = "gpt-5.1-codex"\nmodel_provider = "stub"\n${provider}`);
      return { CODEX_HOME: home, OPENAI_API_KEY: KEY, HOME: folder };
    },
  },
  {
    name: 'claude',
    variable: 'CLAUDE_ACP',
    program: 'claude-code-acp',
    args: [],
    mode: 'default',
    configure: (folder, modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CONFIG_DIR: join(folder, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      HOME: folder,
    }),
  },
  {
    name: 'gemini',
    variable: 'GEMINI',
    program: 'gemini',
    args: ['--acp', '--model', 'gemini-2.5-flash'],
    mode: 'default',
    configure: (folder, modelUrl) => {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      };
      mkdirSync(join(folder, '.gemini'));
      writeFileSync(join(folder, '.gemini', 'settings.json'), JSON.stringify(settings));
      return { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: KEY, HOME: folder };
    },
  },
];

/** Returns the version as the program prints it, an empty text if it prints none, and null if it is not installed. */
export function readAgentVersion(agent: TriedAgent): string | null {
  const { error, status, stdout } = spawnSync(getProgram(agent), ['--version'], { encoding: 'utf8', input: '' });
  if (error) return null;
  return status === 0 ? stdout.trim() : '';
}

/** `env` sets the variables, so that agents of several tests don't share those of this process. */
export function createTriedAgentCommand(agent: TriedAgent, folder: string, modelUrl: string): AgentCommand {
  const variables = Object.entries(agent.configure(folder, modelUrl)).map(([name, value]) => `${name}=${value}`);
  return {
    name: agent.name,
    command: ['/usr/bin/env', ...variables, getProgram(agent), ...agent.args],
    environmentNames: [],
    mode: agent.mode,
  };
}

function getProgram({ variable, program }: TriedAgent): string {
  return process.env[variable] ?? program;
}

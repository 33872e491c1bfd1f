import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RETRIES, type Step } from './steps';

/** Agent of docs/agents.md, in its own default configuration. */
export interface TriedAgent {
  /** As the device names it. */
  name: string;
  title: string;
  /** Package of npm. */
  package: string;
  program: string;
  args: readonly string[];
  /** Writes what makes the agent ask the stub into its home, and returns the variables that do so. */
  configure: (home: string, modelUrl: string) => Record<string, string>;
  /** What happens in place of a promise, because the agent works differently. */
  differences: Partial<Record<Step, string>>;
}

/** Agent on this computer. */
export interface InstalledAgent {
  name: string;
  version: string;
  nodeVersion: string;
  /** Folder of its program. */
  folder: string;
  /** Value of `PATH` with which the program finds its version of Node.js. */
  path: string;
}

const KEY = 'none';
const MODE: Step = 'Mode under `--permissions ask`';

export const TRIED_AGENTS: readonly TriedAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    package: '@agentclientprotocol/claude-agent-acp',
    program: 'claude-agent-acp',
    args: [],
    configure: (home, modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    differences: {
      [MODE]: '`default`',
      'Model answers 401': RETRIES,
      'Model answers 429': RETRIES,
      'Model answers 500': RETRIES,
    },
  },
  {
    name: 'codex',
    title: 'Codex',
    package: '@agentclientprotocol/codex-acp',
    program: 'codex-acp',
    args: [],
    configure: (home, modelUrl) => {
      const provider = `[model_providers.stub]\nname = "stub"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\n`;
      const settings = `model = "gpt-5.1-codex"\nmodel_provider = "stub"\n${provider}env_key = "OPENAI_API_KEY"\n`;
      writeSettings(join(home, '.codex', 'config.toml'), settings);
      return { CODEX_HOME: join(home, '.codex'), OPENAI_API_KEY: KEY };
    },
    differences: {
      [MODE]: '`read-only`',
      'Model answers 429': 'completed, says why',
      'Model answers 500': 'completed, says why',
      'Rejected command': "doesn't run it, ends the turn",
      'Command in the background': 'says nothing later',
      'Output of a command': 'text, exit code',
    },
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    package: 'opencode-ai',
    program: 'opencode',
    args: ['acp'],
    configure: (home, modelUrl) => {
      const options = { baseURL: `${modelUrl}/v1`, apiKey: KEY };
      const settings = {
        model: 'stub/stub',
        small_model: 'stub/stub',
        autoupdate: false,
        provider: { stub: { npm: '@ai-sdk/openai-compatible', options, models: { stub: { tool_call: true } } } },
      };
      writeSettings(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings));
      return { OPENCODE_DISABLE_MODELS_FETCH: '1' };
    },
    differences: {
      [MODE]: '`build`',
      'Model answers 500': RETRIES,
      'Output of a command': 'text, exit code',
      'Allowed command': 'runs it unasked',
      'Rejected command': 'runs it unasked',
      'Command in the background': 'waits for it',
    },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    package: '@google/gemini-cli',
    program: 'gemini',
    args: ['--acp', '--model', 'gemini-2.5-flash'],
    configure: (home, modelUrl) => {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      };
      writeSettings(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: KEY };
    },
    differences: {
      [MODE]: '`default`',
      'Model answers 429': RETRIES,
      'Model answers 500': RETRIES,
      'Usage of a turn (in, out, cached)': '1500, 42, none',
      'Output of a command': 'no text',
      'Command in the background': 'says nothing later',
      'Session of the agent': 'not listed',
    },
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    program: 'qwen',
    args: ['--acp', '--auth-type', 'openai'],
    configure: (home, modelUrl) => {
      const settings = { privacy: { usageStatisticsEnabled: false } };
      writeSettings(join(home, '.qwen', 'settings.json'), JSON.stringify(settings));
      return { OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'stub' };
    },
    differences: {
      [MODE]: '`default`',
      'Model answers 429': RETRIES,
      'Model answers 500': RETRIES,
      'Usage of a turn (in, out, cached)': '1500, 42, 300',
      'Output of a command': 'text, exit code',
      'Session of the agent': 'listed',
    },
  },
  {
    name: 'copilot',
    title: 'Copilot',
    package: '@github/copilot',
    program: 'copilot',
    args: ['--acp'],
    configure: (_home, modelUrl) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'stub',
    }),
    differences: {
      [MODE]: '`agent`',
      'Model answers 401': 'completed, says why',
      'Model answers 429': 'completed, says why',
      'Model answers 500': 'completed, says why',
      'Usage of a turn (in, out, cached)': '1500, 42, 300',
      'Command in the background': 'waits for it',
      'Session of the agent': 'listed',
    },
  },
];

/** Returns the argument of `--agent`. `env` sets the variables, so that the agent has a home of its own. */
export function formatAgentCommand(
  agent: TriedAgent,
  { folder, path }: InstalledAgent,
  home: string,
  modelUrl: string,
): string {
  const variables = { ...agent.configure(home, modelUrl), HOME: home, PATH: path };
  const assignments = Object.entries(variables).map(([name, value]) => `"${name}=${value}"`);
  return `${agent.name}=/usr/bin/env ${[...assignments, join(folder, agent.program), ...agent.args].join(' ')}`;
}

function writeSettings(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

import { basename, extname } from 'node:path';

/** What the device knows of an agent: its modes, and a defect. */
export interface AgentModeTable {
  /** What the agent calls itself (`agentInfo.name`), and the names of its programs and packages. */
  names: readonly string[];
  /** Modes in which it asks before it acts, in the order in which the device prefers them. Every other mode decides. */
  asking: readonly string[];
  /** Values of other configuration options without which it asks about nothing, by their ids. */
  askingOptions?: Readonly<Record<string, string>>;
  /** Whether it loses a session that it loads within the minute of the clock in which it has created it. */
  losesFreshSessions?: boolean;
  /** Whether the user's settings of the agent say what it asks about in these modes. */
  followsSettings?: boolean;
}

const MODE_TABLES: readonly AgentModeTable[] = [
  { names: ['claude-agent-acp', 'claude-code-acp'], asking: ['default', 'plan'] },
  // Its sandbox lets commands read without asking, with `workspace-write` also change files of the folder. In `agent`
  // and the older `auto`, a model or the sandbox decides on the rest.
  { names: ['codex-acp'], asking: ['read-only', 'workspace-write'] },
  // It names the file of a session by the minute, and a load begins such a file before it reads the conversation.
  { names: ['gemini-cli', 'gemini'], asking: ['default', 'plan'], losesFreshSessions: true },
  { names: ['qwen-code', 'qwen'], asking: ['default', 'plan'] },
  // Its commands `/allow-all` and `/autopilot` switch the option on.
  { names: ['copilot'], asking: ['agent', 'plan'], askingOptions: { allow_all: 'off' } },
  { names: ['opencode', 'opencode-ai'], asking: ['build', 'plan'], followsSettings: true },
  { names: ['test-agent'], asking: ['ask'], askingOptions: { allow_all: 'off' } },
];

/** Programs that run the one that is named after them. */
const LAUNCHERS = new Set(['env', 'npx', 'bunx', 'node', 'bun', 'deno', 'exec', 'run', 'x', 'dlx', 'npm', 'pnpm']);

/**
 * Returns what is known of an agent.
 * @param agentName what the agent calls itself, if it has said so
 * @param command its program and arguments, which count if the name says nothing
 */
export function findModeTable(agentName: string | null, command: readonly string[]): AgentModeTable | undefined {
  const findByName = (name: string) => MODE_TABLES.find(({ names }) => names.includes(name));
  return findByName(toKnownName(agentName ?? '')) ?? findByName(findProgramName(command));
}

/** Whether the agent decides by itself in this mode. One that nobody knows counts as such. */
export function isDecidingMode(table: AgentModeTable | undefined, mode: string): boolean {
  return !table?.asking.includes(toModeName(mode));
}

/** Categories of options that change how well an agent works, not what it asks about. */
const HARMLESS_CATEGORIES = new Set(['model', 'model_config', 'thought_level']);

/** Whether the agent may decide by itself with this value of an option. What nobody knows counts as such. */
export function isDecidingOption(
  table: AgentModeTable | undefined,
  { id, category }: { id: string; category: string | null },
  value: string,
): boolean {
  if (category === 'mode') return isDecidingMode(table, value);
  return !HARMLESS_CATEGORIES.has(category ?? '') && table?.askingOptions?.[id] !== value;
}

/** Returns the mode that the device prefers of those in which the agent asks; undefined if it offers none. */
export function findAskingMode(table: AgentModeTable | undefined, offered: readonly string[]): string | undefined {
  return table?.asking.map((name) => offered.find((mode) => toModeName(mode) === name)).find((mode) => mode);
}

/** Copilot names its modes by addresses that end with their name. */
const toModeName = (mode: string): string => /^https:\/\/[^#]*#(.*)$/.exec(mode)?.[1] ?? mode;

/** `@agentclientprotocol/codex-acp@2.6.0` and `/opt/codex-acp.js` are `codex-acp`. */
function toKnownName(text: string): string {
  const [name = ''] = basename(text).split('@', 1);
  const isScript = ['.js', '.mjs', '.cjs', '.cmd', '.exe'].includes(extname(name));
  return (isScript ? name.slice(0, -extname(name).length) : name).toLowerCase().replaceAll(' ', '-');
}

/** Returns the first word that is neither a launcher, nor an option or a variable of one. */
function findProgramName(command: readonly string[]): string {
  const isOfLauncher = (word: string): boolean => LAUNCHERS.has(toKnownName(word)) || /^-|^\w+=/.test(word);
  return toKnownName(command.find((word) => !isOfLauncher(word)) ?? '');
}

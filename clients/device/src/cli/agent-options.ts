import { basename, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { DEFAULT_AGENT_LIMITS } from '../agent/agent-limits';
import { AgentProcessPool, DEFAULT_MAX_AGENTS } from '../agent/agent-process-pool';
import { splitCommand } from '../exec/split-command';
import { PERMISSION_POLICIES, type PermissionPolicy } from '../permissions/permission-policy';
import { readRulesFile, RulesError, type PermissionRule } from '../rules/permission-rule';
import type { AgentOptions } from '../sessions/agent-runtime';
import { MAX_SESSIONS } from '../sessions/session-reservations';
import { assignAgentSettings, UsageError, type NamedCommand } from './agent-settings';
import { parseDurationMs, parseWholeNumber, requireText } from './option-parsers';

const MAX_AGENTS = 16;
const MAX_PERMISSION_TIMEOUT_MS = 86_400_000;
/** Each session has at most one agent. */
const MAX_RUNNING_AGENTS = MAX_SESSIONS;
/** The longest delay of a timer. */
const MAX_TIMER_MS = 2_147_483_647;

export interface AgentCommandOptions {
  agent?: NamedCommand[];
  /** Values of `--agent-env` and `--agent-mode` as they were given. */
  agentEnv?: string[];
  agentMode?: string[];
  permissions?: PermissionPolicy;
  permissionTimeout?: number;
  turnTimeout?: number;
  agentIdle?: number;
  maxAgents?: number;
  allowCwd?: string[];
  /** False with `--no-grants`. */
  grants?: boolean;
  lockMode?: boolean;
  rules?: string;
}

export function addAgentOptions(command: Command): Command {
  return command
    .option('--agent <command>', 'coding agent that speaks ACP, as COMMAND or NAME=COMMAND; repeatable', collectAgent)
    .option(
      '--agent-env <names>',
      'environment variables that an agent gets, such as its keys, as NAME=VARIABLE,VARIABLE, or without NAME= for ' +
        'the only agent; repeatable',
      collectText,
    )
    .option(
      '--agent-mode <mode>',
      "mode of an agent's sessions, as NAME=MODE, or MODE for the only agent; repeatable (default: one in which it " +
        'asks)',
      collectText,
    )
    .option('--lock-mode', 'refuse callers a mode in which an agent decides by itself')
    .addOption(
      new Option(
        '--permissions <policy>',
        'when an agent asks before it uses a tool (default: ask, where the service can pass on decisions)',
      ).choices(PERMISSION_POLICIES),
    )
    .option(
      '--rules <file>',
      'JSON file of what agents may do without being asked about, or never; the rest follows --permissions',
      (path: string) => resolve(requireText(path)),
    )
    .option(
      '--permission-timeout <time>',
      'reject a request that nobody decided (default: 10m)',
      parsePermissionTimeout,
    )
    .option('--turn-timeout <time>', 'end a turn after this time, open requests excluded (default: 2h)', parseTimerMs)
    .option('--agent-idle <time>', 'stop an agent that has no turn for this time (default: 15m)', parseTimerMs)
    .option(
      '--max-agents <number>',
      `agents that run at a time (default: ${DEFAULT_MAX_AGENTS}); those that wait for a decision don't count`,
      parseMaxAgents,
    )
    .option(
      '--allow-cwd <folder>',
      'folder in which callers may start sessions; repeatable (default: --cwd)',
      collectFolder,
    )
    .option('--no-grants', 'never give callers the keys of the sessions that they start');
}

/**
 * Returns undefined for a machine without agents.
 * @throws UsageError when an option of an agent doesn't say which one it is for, or the rules can't be used
 */
export function createAgentOptions(options: AgentCommandOptions): AgentOptions | undefined {
  const commands = assignAgentSettings(options);
  if (commands.length === 0) return undefined;
  const { turnTimeout, agentIdle, maxAgents } = options;
  const turnTimeoutMs = turnTimeout ?? DEFAULT_AGENT_LIMITS.turnTimeoutMs;
  return {
    commands,
    provider: new AgentProcessPool({
      maxProcesses: maxAgents,
      idleTimeoutMs: agentIdle,
      limits: { ...DEFAULT_AGENT_LIMITS, turnTimeoutMs },
    }),
    permissions: options.permissions,
    permissionTimeoutMs: options.permissionTimeout,
    allowedFolders: options.allowCwd,
    allowsGrants: options.grants,
    locksMode: options.lockMode,
    rules: options.rules === undefined ? undefined : readRules(options.rules),
  };
}

/** @throws InvalidArgumentError */
export function collectAgent(text: string, previous: NamedCommand[] = []): NamedCommand[] {
  const [, givenName, commandText = text] = /^([a-z0-9-]{1,64})=(.+)$/.exec(text) ?? [];
  const command = parseCommand(commandText);
  const name = givenName ?? toAgentName(command[0] ?? '');
  if (previous.some((agent) => agent.name === name))
    throw new InvalidArgumentError(`Two agents are named "${name}". Use NAME=COMMAND.`);
  if (previous.length >= MAX_AGENTS) throw new InvalidArgumentError(`Use at most ${MAX_AGENTS} agents.`);
  return [...previous, { name, command }];
}

/** Derives a name from the program's file name. @throws InvalidArgumentError */
function toAgentName(program: string): string {
  const name = basename(program)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 64);
  if (name === '') throw new InvalidArgumentError('Name the agent: NAME=COMMAND.');
  return name;
}

/** Resolves a relative path of the program here, because the agent starts in the folder of its session. */
function parseCommand(text: string): string[] {
  try {
    const [program = '', ...args] = splitCommand(text);
    return [program.includes('/') ? resolve(program) : program, ...args];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** The file is read once, at the start. @throws UsageError */
function readRules(path: string): PermissionRule[] {
  try {
    return readRulesFile(path);
  } catch (error) {
    if (error instanceof RulesError) throw new UsageError(`--rules: ${error.message}`);
    throw error;
  }
}

function parsePermissionTimeout(text: string): number {
  const timeoutMs = parseDurationMs(text);
  if (timeoutMs > MAX_PERMISSION_TIMEOUT_MS) throw new InvalidArgumentError('Use at most 24h.');
  return timeoutMs;
}

function parseMaxAgents(text: string): number {
  const count = parseWholeNumber(text);
  if (count < 1 || count > MAX_RUNNING_AGENTS) throw new InvalidArgumentError(`Use 1 to ${MAX_RUNNING_AGENTS}.`);
  return count;
}

function parseTimerMs(text: string): number {
  const ms = parseDurationMs(text);
  if (ms > MAX_TIMER_MS) throw new InvalidArgumentError('Use at most 24d.');
  return ms;
}

const collectText = (text: string, previous: string[] = []): string[] => [...previous, requireText(text)];

const collectFolder = (text: string, previous: string[] = []): string[] => [...previous, resolve(requireText(text))];

import type { AgentCommand } from '../agent/agent-session';

/** Name and command of one `--agent`. */
export interface NamedCommand {
  name: string;
  command: string[];
}

/** Options that don't fit together, which a parser of one option can't find. */
export class UsageError extends Error {}

interface GivenSettings {
  agent?: readonly NamedCommand[];
  agentEnv?: readonly string[];
  agentMode?: readonly string[];
}

/**
 * Returns the agents with what `--agent-env` and `--agent-mode` give each of them. No agent gets the keys of another.
 * @throws UsageError
 */
export function assignAgentSettings({ agent: agents = [], agentEnv = [], agentMode = [] }: GivenSettings) {
  const commands: (AgentCommand & { environmentNames: string[] })[] = agents.map((agent) => ({
    ...agent,
    environmentNames: [],
    mode: null,
  }));
  for (const given of agentEnv) {
    const { agent, text } = findAgent('--agent-env', 'VARIABLE,VARIABLE', given, commands);
    agent.environmentNames.push(...parseVariables(text));
  }
  for (const given of agentMode) {
    const { agent, text } = findAgent('--agent-mode', 'MODE', given, commands);
    if (agent.mode !== null) throw new UsageError(`--agent-mode is given twice for the agent "${agent.name}".`);
    agent.mode = text;
  }
  return commands;
}

/** The name may be missing if there is only one agent, as in releases that had one setting for all. */
function findAgent<T extends { name: string }>(flag: string, form: string, given: string, agents: readonly T[]) {
  const [, name, text = given] = /^([a-z0-9-]{1,64})=(.*)$/s.exec(given) ?? [];
  const [first] = agents;
  const agent = name === undefined ? first : agents.find((each) => each.name === name);
  const names = agents.map((each) => each.name).join(', ');
  if (!first) throw new UsageError(`${flag} needs an agent: --agent NAME=COMMAND.`);
  if (!agent) throw new UsageError(`${flag} is for "${name}", but the agents are: ${names}.`);
  if (name === undefined && agents.length > 1)
    throw new UsageError(`${flag} must say for which agent it is: ${flag} NAME=${form}. The agents are: ${names}.`);
  if (text.trim() === '') throw new UsageError(`${flag} must not be empty.`);
  return { agent, text };
}

/** The error doesn't repeat the text: it may have a value, which is a secret. */
function parseVariables(text: string): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0 || names.some((name) => name.includes('=')))
    throw new UsageError('--agent-env takes names of variables: NAME=VARIABLE,VARIABLE. Their values are not given.');
  return names;
}

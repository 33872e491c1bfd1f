import { truncateText } from '@external-api/protocol';
import type { AgentCommand, AgentSession, AgentSessionProvider } from '../agent/agent-session';
import type { DeviceState, StoredAgent } from '../device-state';
import type { AnnouncedAgent } from '../machine/registration';

/** Limits of an announcement (docs/protocol/agents.md#agents-of-a-machine). */
const MAX_TITLE_LENGTH = 100;
const MAX_VERSION_LENGTH = 64;
const MAX_MODES = 32;
const MAX_OPTIONS = 32;
const ANNOUNCED_MODE = /^[\x21-\x7e]{1,64}$/;

/** Returns what the agent said about itself in an earlier session; undefined if this command has not been started. */
export function findKnownAgent({ knownAgents = {} }: DeviceState, agent: AgentCommand): StoredAgent | undefined {
  const known = Object.hasOwn(knownAgents, agent.name) ? knownAgents[agent.name] : undefined;
  return known && isSame(known.command, agent.command) ? known : undefined;
}

/**
 * Remembers what an agent says about itself. Modes that can't be announced are left out.
 * @returns whether the state has changed, so that it must be saved
 */
export function learnAgent(state: DeviceState, agent: AgentCommand, session: AgentSession): boolean {
  const { name, title, version, canListSessions } = session.agent;
  const ids = session.modes.map(({ id }) => id).filter((id) => ANNOUNCED_MODE.test(id));
  const modes = [...new Set(ids)].slice(0, MAX_MODES);
  const options = session.offer.options.slice(0, MAX_OPTIONS).map(({ id, category }) => ({ id, category }));
  const learned = { command: agent.command, name, title, version, modes, canListSessions, options };
  if (isSame(findKnownAgent(state, agent), learned)) return false;
  state.knownAgents = { ...state.knownAgents, [agent.name]: learned };
  return true;
}

/** Whether an agent can list its sessions, or may: one that has never been started has not been asked. */
export function canListSessions(
  { commands, provider }: { commands: readonly AgentCommand[]; provider: AgentSessionProvider },
  state: DeviceState,
): boolean {
  if (!provider.inquire) return false;
  return commands.some((command) => findKnownAgent(state, command)?.canListSessions ?? true);
}

/**
 * Returns the agents whose programs this computer has, which the machine announces. Others can still be named in a
 * call, because a program may be installed later. An agent that has never been started has its name only.
 * @param onProblem is told of each other agent, and where its program was searched for
 */
export async function findAnnouncedAgents(
  { commands, provider }: { commands: readonly AgentCommand[]; provider: AgentSessionProvider },
  state: DeviceState,
  onProblem: (problem: string) => void = () => undefined,
): Promise<AnnouncedAgent[]> {
  const problems = await Promise.all(commands.map(async (command) => provider.findStartProblem?.(command)));
  problems.forEach((problem, index) => {
    if (problem) onProblem(`The agent "${commands[index]?.name}" is not offered to callers. ${problem.message}`);
  });
  return commands.filter((_, index) => !problems[index]).map((command) => describeAgent(command, state));
}

function describeAgent(agent: AgentCommand, state: DeviceState): AnnouncedAgent {
  const known = findKnownAgent(state, agent);
  if (!known) return { name: agent.name, title: agent.name };
  return {
    name: agent.name,
    title: truncateText(known.title ?? known.name, MAX_TITLE_LENGTH),
    version: known.version === null ? undefined : truncateText(known.version, MAX_VERSION_LENGTH),
    modes: known.modes,
    options: known.options ?? [],
  };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

import { CommandError } from '../exec/command-error';
import { AGENT_METHODS, toArray, toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { AgentMode } from './agent-session';
import { toDisplayedLine } from './displayed-text';

const MAX_MODES = 64;

export interface SessionModes {
  available: AgentMode[];
  current: string | null;
  /** Id of the configuration option that selects the mode, for agents without `modes`. */
  configOptionId: string | null;
}

/**
 * Reads the modes of the answer to `session/new` or `session/load`. Newer agents may offer a configuration option of
 * the category `mode` instead of `modes`.
 */
export function parseSessionModes(answer: JsonObject): SessionModes {
  if (answer.modes !== undefined && answer.modes !== null) {
    const { currentModeId, availableModes } = toObject(answer.modes);
    const available = parseModes(
      toArray(availableModes)
        .map(toObject)
        .map(({ id, name }) => ({ id, name })),
    );
    return { available, current: toNullableText(currentModeId), configOptionId: null };
  }
  const option = toArray(answer.configOptions)
    .map(toObject)
    .find(({ category, type }) => category === 'mode' && type === 'select');
  if (typeof option?.id !== 'string') return { available: [], current: null, configOptionId: null };
  const available = parseModes(
    toArray(option.options)
      .map(toObject)
      .map(({ value, name }) => ({ id: value, name })),
  );
  return { available, current: toNullableText(option.currentValue), configOptionId: option.id };
}

/**
 * Returns the request that sets the mode of a session. The mode decides what an agent does without asking, so one that
 * the agent doesn't offer is an error.
 * @throws AgentError `agent_error`, caused by `mode_not_found`
 */
export function createModeRequest(sessionId: string, modes: SessionModes, mode: string) {
  if (!modes.available.some(({ id }) => id === mode)) {
    const offered = modes.available.map(({ id }) => toDisplayedLine(id)).join(', ') || 'none';
    const cause = new CommandError('mode_not_found', `The agent has no mode "${mode}". Its modes: ${offered}.`);
    throw new AgentError('agent_error', cause.message, { cause });
  }
  return modes.configOptionId === null
    ? { method: AGENT_METHODS.setMode, params: { sessionId, modeId: mode } }
    : { method: AGENT_METHODS.setConfigOption, params: { sessionId, configId: modes.configOptionId, value: mode } };
}

function parseModes(modes: { id: unknown; name: unknown }[]): AgentMode[] {
  return modes
    .flatMap(({ id, name }) =>
      typeof id === 'string' ? [{ id, name: toDisplayedLine(name) || toDisplayedLine(id) }] : [],
    )
    .slice(0, MAX_MODES);
}

const toNullableText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

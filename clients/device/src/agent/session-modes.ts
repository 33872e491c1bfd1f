import { CommandError } from '../exec/command-error';
import { AGENT_METHODS, toArray, toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { AgentMode } from './agent-settings';
import { toDisplayedLine } from './displayed-text';

const MAX_MODES = 64;
const MAX_OPTIONS = 64;

export interface SessionModes {
  available: AgentMode[];
  current: string | null;
  /** Id of the configuration option that selects the mode, for agents without `modes`. */
  configOptionId: string | null;
  /** Values of the agent's configuration options, by their ids. */
  optionValues: ReadonlyMap<string, string | boolean>;
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
    const optionValues = parseOptionValues(answer);
    const modes = { available, current: toNullableText(currentModeId), configOptionId: null, optionValues };
    if (hasModes(modes)) return modes;
  }
  const optionValues = parseOptionValues(answer);
  return { available: [], current: null, configOptionId: null, optionValues, ...parseModeOption(answer) };
}

/**
 * Applies what an agent reports: an update of its session, or its answer to a request that sets a mode or an option.
 * Returns whether the report names the current mode.
 */
export function applyModeReport(modes: SessionModes, report: JsonObject): boolean {
  if (report.sessionUpdate === 'current_mode_update') {
    if (typeof report.currentModeId !== 'string') return false;
    modes.current = report.currentModeId;
    return true;
  }
  if (Array.isArray(report.configOptions)) modes.optionValues = parseOptionValues(report);
  const reported = parseModeOption(report);
  if (!reported || reported.current === null) return false;
  modes.current = reported.current;
  // The values that `modes` offered are set by another request than those of the option.
  if (modes.configOptionId !== null || modes.available.length === 0) Object.assign(modes, reported);
  return true;
}

export const hasModes = ({ available, current }: SessionModes): boolean => available.length > 0 || current !== null;

/**
 * Returns the request that sets the mode of a session. The mode decides what an agent does without asking, so one that
 * the agent doesn't offer is an error.
 * @throws AgentError `agent_error`, caused by `mode_not_found`
 */
export function createModeRequest(sessionId: string, modes: SessionModes, mode: string) {
  requireMode(modes, mode);
  return modes.configOptionId === null
    ? { method: AGENT_METHODS.setMode, params: { sessionId, modeId: mode } }
    : { method: AGENT_METHODS.setConfigOption, params: { sessionId, configId: modes.configOptionId, value: mode } };
}

/** @throws AgentError `agent_error`, caused by `mode_not_found`, when the agent doesn't offer the mode */
export function requireMode(modes: SessionModes, mode: string): void {
  if (modes.available.some(({ id }) => id === mode)) return;
  const cause = new CommandError('mode_not_found', `The agent has no mode "${mode}". Its modes: ${listModes(modes)}.`);
  throw new AgentError('agent_error', cause.message, { cause });
}

export const listModes = ({ available }: Pick<SessionModes, 'available'>): string =>
  available.map(({ id }) => toDisplayedLine(id)).join(', ') || 'none';

function parseOptionValues({ configOptions }: JsonObject): ReadonlyMap<string, string | boolean> {
  const values = toArray(configOptions)
    .map(toObject)
    .flatMap(({ id, currentValue }): [string, string | boolean][] =>
      typeof id === 'string' && (typeof currentValue === 'string' || typeof currentValue === 'boolean')
        ? [[id, currentValue]]
        : [],
    );
  return new Map(values.slice(0, MAX_OPTIONS));
}

function parseModeOption({ configOptions }: JsonObject): Omit<SessionModes, 'optionValues'> | undefined {
  const option = toArray(configOptions)
    .map(toObject)
    .find(({ category, type }) => category === 'mode' && type === 'select');
  if (typeof option?.id !== 'string') return undefined;
  // The values may be in groups.
  const values = toArray(option.options)
    .map(toObject)
    .flatMap((each) => (each.options === undefined ? [each] : toArray(each.options).map(toObject)));
  const available = parseModes(values.map(({ value, name }) => ({ id: value, name })));
  return { available, current: toNullableText(option.currentValue), configOptionId: option.id };
}

function parseModes(modes: { id: unknown; name: unknown }[]): AgentMode[] {
  return modes
    .flatMap(({ id, name }) =>
      typeof id === 'string' ? [{ id, name: toDisplayedLine(name) || toDisplayedLine(id) }] : [],
    )
    .slice(0, MAX_MODES);
}

const toNullableText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

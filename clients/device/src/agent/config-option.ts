import { AGENT_METHODS, type JsonObject } from './acp';

/** Values of an option that is `boolean` in the protocol of agents, as agents name them that offer it as a choice. */
export const SWITCH_VALUES = { on: 'on', off: 'off' } as const;

/** Returns the value of an option as a text; null for a value of another type. */
export function toOptionText(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? SWITCH_VALUES.on : SWITCH_VALUES.off;
  return typeof value === 'string' ? value : null;
}

/**
 * Returns the request that chooses a value.
 * @param isSwitch whether the option is `boolean`
 */
export function createOptionRequest(sessionId: string, configId: string, value: string, isSwitch: boolean) {
  const params: JsonObject = isSwitch
    ? { sessionId, configId, type: 'boolean', value: value === SWITCH_VALUES.on }
    : { sessionId, configId, value };
  return { method: AGENT_METHODS.setConfigOption, params };
}

import {
  MAX_OPTION_VALUES,
  MAX_SESSION_COMMANDS,
  MAX_SESSION_OPTIONS,
  OPTION_TEXT_PATTERN,
  type SessionCommand,
  type SessionOption,
  truncateText,
} from '@external-api/protocol';
import { toArray, toObject, type JsonObject } from './acp';
import { SWITCH_VALUES, toOptionText } from './config-option';
import { toDisplayedLine } from './displayed-text';
import type { SessionModes } from './session-modes';

const MAX_NAME_LENGTH = 128;
const MAX_DESCRIPTION_LENGTH = 256;

/** An option, and the request of the protocol that chooses its value. */
export interface OfferedOption extends SessionOption {
  setBy: 'config' | 'model' | 'mode';
}

const SWITCH_CHOICES = [
  { value: SWITCH_VALUES.on, name: 'On' },
  { value: SWITCH_VALUES.off, name: 'Off' },
];

/** Reads `configOptions` of an answer or an update. Options that callers could not name are left out. */
export function parseConfigOptions(configOptions: unknown): OfferedOption[] {
  const options = toArray(configOptions)
    .map(toObject)
    .filter(({ id, type }) => isOptionText(id) && (type === 'select' || type === 'boolean'))
    .map(({ id, type, name, category, currentValue, options: values }): OfferedOption => {
      const listed = toArray(values)
        .map(toObject)
        // They may be in groups.
        .flatMap((each) => (each.options === undefined ? [each] : toArray(each.options).map(toObject)));
      const value = toOptionText(currentValue);
      return {
        ...createOption(id as string, name, type === 'boolean' ? SWITCH_CHOICES : listed),
        type: type as OfferedOption['type'],
        category: isOptionText(category) ? category : null,
        value: isOptionText(value) ? value : null,
        setBy: 'config',
      };
    });
  return limitOptions(options);
}

/** Reads `models` of the answer to `session/new` or `session/load`, which some agents have instead of an option. */
export function parseModels({ models }: JsonObject): OfferedOption | undefined {
  const { currentModelId, availableModels } = toObject(models);
  const listed = toArray(availableModels).map(toObject);
  const values = listed.map(({ modelId, name }) => ({ value: modelId, name }));
  const option = createOption('model', 'Model', values);
  if (option.values.length === 0) return undefined;
  const value = isOptionText(currentModelId) ? currentModelId : null;
  return { ...option, category: 'model', value, setBy: 'model' };
}

/** Returns the modes that an agent has instead of an option. */
export function toModeOption({ available, current, configOptionId }: SessionModes): OfferedOption | undefined {
  if (configOptionId !== null || available.length === 0) return undefined;
  const values = available.map(({ id, name }) => ({ value: id, name }));
  const value = isOptionText(current) ? current : null;
  return { ...createOption('mode', 'Mode', values), category: 'mode', value, setBy: 'mode' };
}

/** Joins the options of an agent. Those that it calls so itself come first. */
export function joinOptions(...options: (OfferedOption | undefined)[]): OfferedOption[] {
  const byId = new Map<string, OfferedOption>();
  for (const option of options) if (option && !byId.has(option.id)) byId.set(option.id, option);
  return limitOptions([...byId.values()]);
}

/** Reads an `available_commands_update`. */
export function parseCommands({ availableCommands }: JsonObject): SessionCommand[] {
  return toArray(availableCommands)
    .map(toObject)
    .filter(({ name }) => isOptionText(name))
    .slice(0, MAX_SESSION_COMMANDS)
    .map(({ name, description }) => ({
      name: name as string,
      description: truncateText(toDisplayedLine(description), MAX_DESCRIPTION_LENGTH),
    }));
}

function createOption(id: string, name: unknown, values: JsonObject[]) {
  const listed = values
    .filter(({ value }) => isOptionText(value))
    .map(({ value, name: valueName }) => ({ value: value as string, name: toName(valueName, value as string) }));
  return { id, name: toName(name, id), type: 'select' as const, values: listed };
}

/** An answer must not become too long, however much an agent offers. */
function limitOptions(options: OfferedOption[]): OfferedOption[] {
  let remaining = MAX_OPTION_VALUES;
  return options.slice(0, MAX_SESSION_OPTIONS).map((option) => {
    const values = option.values.slice(0, remaining);
    remaining -= values.length;
    return { ...option, values };
  });
}

const toName = (name: unknown, id: string): string => truncateText(toDisplayedLine(name), MAX_NAME_LENGTH) || id;

const isOptionText = (value: unknown): value is string => typeof value === 'string' && OPTION_TEXT_PATTERN.test(value);

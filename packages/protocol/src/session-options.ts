/** What the agent of a session offers to choose (docs/protocol/agents.md#options-of-a-session). */

/** Chosen values, by the ids of their options. */
export type OptionValues = Record<string, string>;

/** Options that a call may choose at once, and that a device lists of an agent. */
export const MAX_SESSION_OPTIONS = 64;
/** Values that a device lists of all options of an agent together. */
export const MAX_OPTION_VALUES = 2_000;
export const MAX_SESSION_COMMANDS = 256;

/** Form of ids and values. A device leaves out others, which could not be shown or sent back as they are. */
export const OPTION_TEXT_PATTERN = /^[\x20-\x7e]{1,128}$/;

/** An option that the agent offers, such as its model. */
export interface SessionOption {
  id: string;
  /** At most 128 characters. */
  name: string;
  /** `mode`, `model`, `thought_level` or another one of the agent; null if it names none. */
  category: string | null;
  /** A `boolean` has the values `on` and `off`. */
  type: 'select' | 'boolean';
  /** Value of the next turn; null if the agent names none. */
  value: string | null;
  values: { value: string; name: string }[];
}

/** A command that the agent understands at the beginning of a message, such as `/compact`. */
export interface SessionCommand {
  /** Without a slash. */
  name: string;
  /** At most 256 characters. */
  description: string;
}

/** Result of `session.options` and `session.configure`: what the agent has announced last. */
export interface SessionOptionsResult {
  options: SessionOption[];
  commands: SessionCommand[];
}

export type ReadOptionsParams = Record<string, never>;

export interface ChangeOptionsParams {
  options: OptionValues;
  /** Whether the caller may run commands, and so may let the agent decide by itself. */
  mayDecide: boolean;
}

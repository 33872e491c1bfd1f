import type { ArgumentSpec, OptionSpec } from '../command-line/command-spec.ts';

export const SESSION: ArgumentSpec = { name: 'SESSION', description: 'ID or tag of a session' };
export const MACHINE: ArgumentSpec = { name: 'MACHINE', description: 'ID or name of a machine' };
export const LIMIT: OptionSpec = { name: 'limit', value: 'N', description: 'Show at most this many. Default: 30' };
export const KEY: OptionSpec = {
  name: 'idempotency-key',
  value: 'KEY',
  description: 'Run the call once, however often it is repeated with this key in 24 hours',
};
export const WAIT_LIMIT: OptionSpec = {
  name: 'timeout',
  value: 'DURATION',
  description: 'Stop waiting after 45s, 30m or 2h, with exit code 124. Default: 30m',
};
export const TYPES: OptionSpec = {
  name: 'types',
  value: 'TYPE,TYPE',
  description: 'Only these events, such as turn.ended',
  isRepeatable: true,
};

/** Option of commands that send a message. */
export const FILE: OptionSpec = {
  name: 'file',
  value: 'PATH',
  description: 'A picture or file for the agent, at most 8 with 700 KiB together',
  isRepeatable: true,
};

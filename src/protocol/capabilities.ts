/**
 * What a device declares in the handshake (docs/protocol/device-api.md#handshake): a method of relayed calls that it
 * serves, `invocation` for all methods that begin with it and for their live output, `session.watch` for deltas, or
 * `session.sealed` for messages that are sent encrypted.
 */
export const CAPABILITIES = [
  'session.message',
  'session.sealed',
  'session.cancel',
  'session.permission',
  'session.start',
  'session.end',
  'session.watch',
  'machine.invoke',
  'invocation',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

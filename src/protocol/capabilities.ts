/** Capabilities that a device declares in the handshake (docs/protocol/device-api.md#handshake). */
/** What a device can serve: a method of relayed calls, or `session.sealed` for messages that their sender encrypted. */
export const CAPABILITIES = [
  'session.message',
  'session.sealed',
  'session.cancel',
  'session.permission',
  'session.start',
  'session.end',
  'machine.invoke',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

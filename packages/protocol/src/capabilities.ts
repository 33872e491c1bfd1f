/**
 * What a device declares in the handshake (docs/protocol/device-api.md#handshake): a method of relayed calls that it
 * serves, `invocation` for all methods that begin with it and for their live output, `session.watch` for deltas of
 * messages, `session.progress` for those of other kinds, `session.sealed` for messages that are sent encrypted,
 * `session.attachments` for files that come with messages, sealed ones included, `session.question` for questions of
 * agents, `permission.message` for messages that come with decisions, `session.grant` for `grant` of a start,
 * `session.resume` for `resume` of a start, `session.options` for `session.options`, `session.configure` and `options`
 * of a start, `session.busy` for `ifBusy` of a message, `session.unprompted` for turns that an agent begins by itself,
 * or `turn.details` for members of reports that older releases refuse.
 */
export const CAPABILITIES = [
  'session.message',
  'session.sealed',
  'session.attachments',
  'session.cancel',
  'session.permission',
  'session.question',
  'permission.message',
  'session.start',
  'session.grant',
  'session.resume',
  'session.options',
  'session.end',
  'session.busy',
  'session.watch',
  'session.progress',
  'session.unprompted',
  'turn.details',
  'agent.sessions',
  'machine.invoke',
  'invocation',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Methods of relayed calls, of which `RelayRequest` has the parameters. */
export const RELAY_METHODS = [
  'session.start',
  'session.end',
  'session.message',
  'session.cancel',
  'session.permission',
  'agent.sessions',
  'session.options',
  'session.configure',
  'machine.invoke',
  'invocation.start',
  'invocation.cancel',
  'invocation.output',
] as const;
export type RelayMethod = (typeof RELAY_METHODS)[number];

/** Returns the capability that a device must declare to get calls of this method. */
export function getMethodCapability(method: RelayMethod): Capability {
  if (method === 'session.configure') return 'session.options';
  return method === 'invocation.start' || method === 'invocation.cancel' || method === 'invocation.output'
    ? 'invocation'
    : method;
}

import type { RelayRequest } from '../../wire';

/** Far beyond what relay.md allows; what is larger is a mistake, not a long call. */
const LONGEST_MS = 600_000;

type Fields = Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isArgument = (value: unknown): value is string => isText(value) && !value.includes('\0');

/**
 * What the service sends is checked like anything else from a network.
 * @throws Error naming the fault
 */
export function parseRelayRequest(payload: unknown, now: number): RelayRequest {
  const request = fieldsOf(payload);
  if (!request) throw new Error('the request is not an object');
  const { requestId, method, deadline, timeoutMs } = request;
  if (!isText(requestId) || !/^[\x21-\x7e]{1,100}$/.test(requestId)) throw new Error('requestId is no id');
  if (!Number.isFinite(deadline) || (deadline as number) > now + LONGEST_MS)
    throw new Error('deadline is no near time');
  if (!Number.isInteger(timeoutMs) || (timeoutMs as number) < 1 || (timeoutMs as number) > LONGEST_MS)
    throw new Error('timeoutMs is out of range');
  const params = fieldsOf(request.params);
  if (method === 'machine.invoke') checkInvoke(params);
  else if (method === 'session.message') checkMessage(params);
  else throw new Error(`this device has no method ${JSON.stringify(method)?.slice(0, 100)}`);
  return request as unknown as RelayRequest;
}

function checkInvoke(params: Fields | undefined): void {
  if (!isArgument(params?.command) || params.command === '') throw new Error('params.command is missing');
  if (!Array.isArray(params.args) || !params.args.every(isArgument))
    throw new Error('params.args is not a list of strings');
  if (params.cwd !== null && !isArgument(params.cwd)) throw new Error('params.cwd is neither a string nor null');
}

function checkMessage(params: Fields | undefined): void {
  if (!isText(params?.content)) throw new Error('params.content is not a string');
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

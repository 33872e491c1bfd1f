import type { RelayRequest } from '../../../protocol';

/** Far above the limits of docs/protocol/relay.md#timers. Larger values are errors, not long calls. */
const MAX_CALL_MS = 600_000;

type JsonObject = Record<string, unknown>;
type ParamsValidator = (params: JsonObject) => void;

const PARAMS_VALIDATORS: Record<RelayRequest['method'], ParamsValidator> = {
  'machine.invoke': ({ command, args, cwd }) => {
    if (!isArgument(command) || command === '') throw new Error('params.command is missing');
    if (!Array.isArray(args) || !args.every(isArgument)) throw new Error('params.args is not a list of strings');
    requireArgumentOrNull('cwd', cwd);
  },
  'session.message': ({ content, waitMs }) => {
    if (!isString(content)) throw new Error('params.content is not a string');
    if (waitMs !== undefined) requireWaitTime(waitMs);
  },
  'session.cancel': ({ turnId }) => {
    if (!isString(turnId)) throw new Error('params.turnId is not a string');
  },
  'session.permission': ({ localId, optionId, contentHash }) => {
    if (![localId, optionId, contentHash].every(isString))
      throw new Error('params.localId, params.optionId and params.contentHash must be strings');
  },
  'session.start': ({ agent, cwd, mode, tag, content, waitMs }) => {
    requireArgumentOrNull('agent', agent);
    requireArgumentOrNull('cwd', cwd);
    requireArgumentOrNull('mode', mode);
    if (!isString(tag) || tag === '' || tag.length > 128) throw new Error('params.tag has not 1 to 128 characters');
    if (content !== null && !isString(content)) throw new Error('params.content is neither a string nor null');
    requireWaitTime(waitMs);
  },
  'session.end': () => undefined,
};

/**
 * Validates a request of the service, which is untrusted input.
 * @param now Unix ms in server time
 * @throws Error naming the violation
 */
export function parseRelayRequest(payload: unknown, now: number): RelayRequest {
  const request = toJsonObject(payload);
  if (!request) throw new Error('the request is not an object');
  const { requestId, method, deadline, timeoutMs, sessionId } = request;
  if (!isString(requestId) || !/^[\x21-\x7e]{1,100}$/.test(requestId)) throw new Error('requestId is invalid');
  if (!Number.isFinite(deadline) || (deadline as number) > now + MAX_CALL_MS)
    throw new Error('deadline is out of range');
  if (!Number.isInteger(timeoutMs) || (timeoutMs as number) < 1 || (timeoutMs as number) > MAX_CALL_MS)
    throw new Error('timeoutMs is out of range');
  if (sessionId !== undefined && !isString(sessionId)) throw new Error('sessionId is not a string');
  if (!isString(method) || !Object.hasOwn(PARAMS_VALIDATORS, method))
    throw new Error(`unknown method ${JSON.stringify(method)?.slice(0, 100)}`);
  PARAMS_VALIDATORS[method as RelayRequest['method']](toJsonObject(request.params) ?? {});
  return request as unknown as RelayRequest;
}

function requireWaitTime(waitMs: unknown): void {
  if (!Number.isInteger(waitMs) || (waitMs as number) < 0 || (waitMs as number) > MAX_CALL_MS)
    throw new Error('params.waitMs is out of range');
}

function requireArgumentOrNull(name: string, value: unknown): void {
  if (value !== null && !isArgument(value)) throw new Error(`params.${name} is neither a string nor null`);
}

function toJsonObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isArgument = (value: unknown): value is string => isString(value) && !value.includes('\0');

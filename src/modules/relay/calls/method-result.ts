import {
  AGENT_STATES,
  computeRequestId,
  computeTurnId,
  INVOCATION_STATES,
  PERMISSION_REQUEST_STATES,
  STOP_REASONS,
  TURN_STATES,
  type ReadOutputParams,
  type RelayRequest,
} from '@external-api/protocol';
import { isWellFormedId } from '../../../common/ids';
import type { DeviceAnswer } from '../../relay-bus';
import { findAgentSessionsViolation } from './agent-sessions.dto';
import type { CallIdentity } from './call-reply';

type Result = Record<string, unknown>;

/** base64 with padding (RFC 4648 §4), which all clients decode to the same bytes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Checks the result of a method that the service defines, since callers branch on its states and continue from its IDs
 * and positions (docs/protocol/device-api.md#events). Anything else becomes the error `invalid_answer`. The results of
 * commands are the device's own, and `invocation.start` is checked where it is stored.
 */
export function checkAnswer(request: RelayRequest, answer: DeviceAnswer): DeviceAnswer {
  if (request.method === 'session.start' && request.params.grant)
    return checkResult(checkLateAnswer(request, answer), findMissingGrant);
  if (request.method !== 'invocation.output') return checkLateAnswer(request, answer);
  return checkResult(answer, (result) => findOutputViolation(request.params, result));
}

/** Checks as much as is possible without the parameters of the call: all but `invocation.output`. */
export function checkLateAnswer({ requestId, method }: CallIdentity, answer: DeviceAnswer): DeviceAnswer {
  return checkResult(answer, (result) => findViolation(method, requestId, result));
}

function checkResult(answer: DeviceAnswer, find: (result: Result) => string | null): DeviceAnswer {
  if (answer.kind === 'error') return answer;
  const violation = find(answer.result);
  return violation ? { kind: 'error', error: { code: 'invalid_answer', message: violation } } : answer;
}

function findViolation(method: RelayRequest['method'], requestId: string, result: Result): string | null {
  switch (method) {
    case 'session.message':
      return findSteeringViolation(result) ?? findMessageTurnViolation(requestId, result);
    case 'session.start':
      if (!isString(result.sessionId) || !isWellFormedId('ses', result.sessionId)) return 'The sessionId is not an ID.';
      return findTurnViolation(requestId, result.turn) ?? findAgentStateViolation(result) ?? findGrantViolation(result);
    case 'agent.sessions':
      return findAgentSessionsViolation(result);
    case 'session.cancel':
      return findStateViolation(TURN_STATES, result);
    case 'session.end':
      return findStateViolation(['ended'], result);
    case 'session.permission':
      if (result.optionId !== null && !isString(result.optionId)) return 'The optionId is not a string.';
      // Devices send a turn only with a message.
      return findStateViolation(PERMISSION_REQUEST_STATES, result) ?? findTurnViolation(requestId, result.turn ?? null);
    case 'session.options':
    case 'session.configure':
      return findOptionsViolation(result);
    case 'invocation.cancel':
      return findStateViolation(INVOCATION_STATES, result);
    case 'machine.invoke':
    case 'invocation.start':
    case 'invocation.output':
      return null;
  }
}

const isString = (value: unknown): value is string => typeof value === 'string';

function findStateViolation(states: readonly unknown[], { state }: Result): string | null {
  return states.includes(state) ? null : 'The state is unknown.';
}

/** Devices say whether a message was steered only if the caller has asked for it. */
function findSteeringViolation({ steered, turn }: Result): string | null {
  if (steered === undefined || typeof steered === 'boolean') return steered && !turn ? 'The turn is missing.' : null;
  return 'The result does not say whether the message was steered.';
}

/** A message that joins a running turn has that of another call. */
function findMessageTurnViolation(requestId: string, { turn, steered }: Result): string | null {
  // Devices without agents don't send it.
  if (turn === undefined) return null;
  if (!steered) return findTurnViolation(requestId, turn);
  const { id } = (turn ?? {}) as Result;
  return isString(id) && isWellFormedId('turn', id)
    ? findTurnViolation(computeRequestId(id), turn)
    : 'The id of the turn is not an ID.';
}

function findTurnViolation(requestId: string, turn: unknown): string | null {
  if (turn === null) return null;
  const { id, state, stopReason = null } = (turn ?? {}) as Result;
  if (id !== computeTurnId(requestId)) return 'The turn is not that of the call.';
  if (stopReason !== null && !(STOP_REASONS as readonly unknown[]).includes(stopReason))
    return 'The stopReason of the turn is unknown.';
  return findStateViolation(TURN_STATES, { state });
}

const findMissingGrant = ({ grant }: Result) =>
  grant === undefined ? 'The result has neither a grant nor null.' : null;

/** Devices of earlier releases answer when the agent is ready, and don't send it. */
function findAgentStateViolation({ agentState }: Result): string | null {
  if (agentState === undefined || (AGENT_STATES as readonly unknown[]).includes(agentState)) return null;
  return 'The agentState is unknown.';
}

/** Devices send a grant, or why there is none, only if the caller has asked for it. */
function findGrantViolation({ grant, grantError }: Result): string | null {
  if (grant === undefined) return null;
  if (grant === null) {
    const { code, message } = (grantError ?? {}) as Result;
    return isString(code) && isString(message) ? null : 'The result does not say why there is no grant.';
  }
  const { id } = grant as Result;
  return isString(id) && isWellFormedId('grt', id) ? null : 'The id of the grant is not an ID.';
}

/** Callers show what an agent offers, and send ids and values back. */
function findOptionsViolation({ options, commands }: Result): string | null {
  if (!isListOf(options, isOption)) return 'The options are not valid.';
  return isListOf(commands, ({ name, description }) => isString(name) && isString(description))
    ? null
    : 'The commands are not valid.';
}

const isOption = ({ id, name, category, type, value, values }: Result): boolean =>
  [id, name, type].every(isString) &&
  [category, value].every((text) => text === null || isString(text)) &&
  isListOf(values, (each) => isString(each.value) && isString(each.name));

const isListOf = (list: unknown, isValid: (each: Result) => boolean): boolean =>
  Array.isArray(list) && list.every((each) => typeof each === 'object' && each !== null && isValid(each as Result));

function findOutputViolation(params: ReadOutputParams, result: Result): string | null {
  const { stream, offset, nextOffset, totalBytes, data, eof } = result;
  if (stream !== params.stream) return 'The output is not of the requested stream.';
  if (!isPosition(offset) || !isPosition(nextOffset) || !isPosition(totalBytes) || typeof eof !== 'boolean')
    return 'The positions of the output are not valid.';
  if (!isString(data) || data.length % 4 !== 0 || !BASE64.test(data)) return 'The output is not base64.';
  const byteCount = Buffer.byteLength(data, 'base64');
  if (byteCount > params.limit) return 'The output has more bytes than requested.';
  if (offset < Math.min(params.offset, totalBytes)) return 'The output begins before the requested offset.';
  if (nextOffset !== offset + byteCount || nextOffset > totalBytes) return 'The positions of the output do not agree.';
  if (byteCount === 0 && nextOffset < totalBytes) return 'The output has no bytes, although more follow.';
  return null;
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

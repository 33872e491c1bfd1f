import {
  AGENT_SESSION_ID,
  findAnswersFormatViolation,
  IF_BUSY,
  MAX_AGENT_SESSION_CURSOR_LENGTH,
  MAX_ATTACHMENTS,
  MAX_INVOCATION_TIMEOUT_MS,
  MAX_OUTPUT_BYTES,
  MAX_SESSION_OPTIONS,
  OPTION_TEXT_PATTERN,
  OUTPUT_STREAMS,
  type RelayRequest,
  truncateText,
} from '@external-api/protocol';
import { isIdentifier, isInteger, isJsonObject, isText, isTime, type JsonObject } from '../untrusted-values';

/** Far above the limits of docs/protocol/relay.md#timers. Larger values are errors, not long calls. */
export const MAX_CALL_MS = 600_000;

/** Sessions of agents that one answer lists. */
const MAX_LISTED_SESSIONS = 1_000;

/** Longer ids would make the `localId` of a message too long. */
const MAX_REQUEST_ID_LENGTH = 100;

type ParamsValidator = (params: JsonObject) => void;

const PARAMS_VALIDATORS: Record<RelayRequest['method'], ParamsValidator> = {
  'machine.invoke': requireCommand,
  'session.message': ({ content, sealedContent, localId, waitMs, attachments, ifBusy }) => {
    const isSealed = sealedContent !== undefined;
    if (!isSealed && !isText(content)) throw new Error('params.content is not a string');
    if (isSealed && !(isText(sealedContent) && isText(localId)))
      throw new Error('params.sealedContent and params.localId must be strings');
    if (waitMs !== undefined) requireWaitTime(waitMs);
    if (attachments !== undefined) requireAttachments(attachments);
    if (ifBusy !== undefined && !IF_BUSY.some((name) => name === ifBusy)) throw new Error('params.ifBusy is unknown');
  },
  'session.cancel': ({ turnId }) => {
    if (!isIdentifier(turnId)) throw new Error('params.turnId is invalid');
  },
  'session.permission': ({ localId, contentHash, ...decision }) => {
    if (!isIdentifier(localId) || !isIdentifier(contentHash))
      throw new Error('params.localId or params.contentHash is invalid');
    requireDecision(decision);
  },
  'session.start': ({ agent, cwd, mode, tag, content, waitMs, attachments, grant, options, resume, fork = false }) => {
    requireArgumentOrNull('agent', agent);
    requireArgumentOrNull('cwd', cwd);
    requireArgumentOrNull('mode', mode);
    if (!isText(tag) || tag === '' || tag.length > 128) throw new Error('params.tag has not 1 to 128 characters');
    if (content !== null && !isText(content)) throw new Error('params.content is neither a string nor null');
    requireWaitTime(waitMs);
    if (attachments !== undefined) requireAttachments(attachments);
    if (attachments !== undefined && content === null) throw new Error('params.attachments has no message');
    if (grant !== undefined) requireGrant(grant);
    if (options !== undefined) requireOptionValues(options);
    if (resume !== undefined && !(isText(resume) && AGENT_SESSION_ID.test(resume)))
      throw new Error('params.resume is not the id of a session of an agent');
    if (typeof fork !== 'boolean') throw new Error('params.fork is not a boolean');
  },
  'agent.sessions': ({ agent, cwd, limit, cursor }) => {
    requireArgumentOrNull('agent', agent);
    requireArgumentOrNull('cwd', cwd);
    if (!isInteger(limit, 1, MAX_LISTED_SESSIONS)) throw new Error('params.limit is out of range');
    if (cursor !== null && !(isText(cursor) && cursor.length <= MAX_AGENT_SESSION_CURSOR_LENGTH))
      throw new Error('params.cursor is neither a cursor nor null');
  },
  'session.options': () => undefined,
  'session.configure': ({ options, mayDecide }) => {
    requireOptionValues(options);
    if (typeof mayDecide !== 'boolean') throw new Error('params.mayDecide is not a boolean');
  },
  'session.end': () => undefined,
  'invocation.start': (params) => {
    requireCommand(params);
    if (!isInteger(params.timeoutMs, 1, MAX_INVOCATION_TIMEOUT_MS)) throw new Error('params.timeoutMs is out of range');
  },
  'invocation.cancel': ({ invocationId }) => {
    if (!isText(invocationId)) throw new Error('params.invocationId is not a string');
  },
  'invocation.output': ({ invocationId, stream, offset, limit }) => {
    if (!isText(invocationId)) throw new Error('params.invocationId is not a string');
    if (!OUTPUT_STREAMS.some((name) => name === stream)) throw new Error('params.stream is no stream');
    if (!isInteger(offset, 0, Number.MAX_SAFE_INTEGER)) throw new Error('params.offset is out of range');
    if (!isInteger(limit, 1, MAX_OUTPUT_BYTES)) throw new Error('params.limit is out of range');
  },
};

/**
 * Validates a request of the service, which is untrusted input.
 * @throws Error naming the violation
 */
export function parseRelayRequest(payload: unknown): RelayRequest {
  if (!isJsonObject(payload)) throw new Error('the request is not an object');
  const { requestId, method, deadline, serverTime, timeoutMs, sessionId, params } = payload;
  if (!isRequestId(requestId)) throw new Error('requestId is invalid');
  if (!isTime(deadline)) throw new Error('deadline is invalid');
  if (serverTime !== undefined && !isTime(serverTime)) throw new Error('serverTime is invalid');
  if (!isInteger(timeoutMs, 1, MAX_CALL_MS)) throw new Error('timeoutMs is out of range');
  if (sessionId !== undefined && !isIdentifier(sessionId)) throw new Error('sessionId is invalid');
  if (!isText(method) || !Object.hasOwn(PARAMS_VALIDATORS, method))
    throw new Error(`unknown method ${truncateText(JSON.stringify(method) ?? '', 100)}`);
  PARAMS_VALIDATORS[method as RelayRequest['method']](isJsonObject(params) ? params : {});
  return payload as unknown as RelayRequest;
}

/** Whether the value can be the id of a call. */
export const isRequestId = (value: unknown): value is string => isIdentifier(value, MAX_REQUEST_ID_LENGTH);

function requireWaitTime(waitMs: unknown): void {
  if (!isInteger(waitMs, 0, MAX_CALL_MS)) throw new Error('params.waitMs is out of range');
}

function requireAttachments(attachments: unknown): void {
  const isList = Array.isArray(attachments) && attachments.length <= MAX_ATTACHMENTS;
  if (!isList || !attachments.every(isAttachment)) throw new Error('params.attachments is not a list of attachments');
}

function isAttachment(value: unknown): boolean {
  const { name, data, sealedContent, artifactId } = isJsonObject(value) ? value : {};
  return (isText(name) && isText(data)) || isText(sealedContent) || isIdentifier(artifactId);
}

function requireOptionValues(options: unknown): void {
  const values = isJsonObject(options) ? Object.entries(options) : [];
  const areValid = values.flat().every((text) => isText(text) && OPTION_TEXT_PATTERN.test(text));
  if (values.length === 0 || values.length > MAX_SESSION_OPTIONS || !areValid)
    throw new Error('params.options are not values of options');
}

function requireGrant(grant: unknown): void {
  const { tokenId, recipient } = isJsonObject(grant) ? grant : {};
  if (!isIdentifier(tokenId)) throw new Error('params.grant.tokenId is invalid');
  if (recipient !== null && !isJsonObject(recipient))
    throw new Error('params.grant.recipient is neither a key nor null');
}

function requireDecision({ optionId, answers, sealedAnswers, message, sealedMessage }: JsonObject): void {
  if (message !== undefined && !isText(message)) throw new Error('params.message is not a string');
  if (sealedMessage !== undefined && !isText(sealedMessage)) throw new Error('params.sealedMessage is not a string');
  if (sealedAnswers !== undefined) {
    if (!isText(sealedAnswers)) throw new Error('params.sealedAnswers is not a string');
  } else if (answers === undefined) {
    if (!isIdentifier(optionId)) throw new Error('params.optionId is invalid');
  } else if (answers !== null) {
    const violation = findAnswersFormatViolation(answers);
    if (violation) throw new Error(`params.answers ${violation}`);
  }
}

function requireCommand({ command, args, cwd }: JsonObject): void {
  if (!isArgument(command) || command === '') throw new Error('params.command is missing');
  if (!Array.isArray(args) || !args.every(isArgument)) throw new Error('params.args is not a list of strings');
  requireArgumentOrNull('cwd', cwd);
}

function requireArgumentOrNull(name: string, value: unknown): void {
  if (value !== null && !isArgument(value)) throw new Error(`params.${name} is neither a string nor null`);
}

const isArgument = (value: unknown): value is string => isText(value) && !value.includes('\0');

import type {
  AttachedParams,
  CancelInvocationRequest,
  CancelTurnRequest,
  Capability,
  ChangeOptionsRequest,
  DecidePermissionParams,
  DecidePermissionRequest,
  EndSessionRequest,
  InvokeRequest,
  ListAgentSessionsParams,
  ListAgentSessionsRequest,
  MessageRequest,
  OptionValues,
  ReadOptionsRequest,
  ReadOutputParams,
  ReadOutputRequest,
  RelayCaller,
  RelayMethod,
  StartGrantParams,
  StartInvocationRequest,
  StartSessionParams,
  StartSessionRequest,
} from '@external-api/protocol';
import { getMethodCapability } from '@external-api/protocol';
import { identifyCaller, type Principal } from '../../../access/auth';
import type { MessageText } from '../../queued-messages';
import type { CallAudit } from '../../relay-bus';
import type { CallContext } from './call-context';
import { toContinuation } from './continuation.dto';
import { DEFAULT_INVOCATION_TIMEOUT_MS, type StartInvocationDto } from './invocation-calls.dto';
import { MAX_MESSAGE_WAIT_MS, type InvokeDto, type SendMessageDto, type StartSessionDto } from './relay.dto';
import { toChosenOptions } from './session-options.dto';

export const MAX_DEVICE_TIMEOUT_MS = 28_000;
/** Added to the device's own timeout, so that its timeout answer arrives before the origin gives up. */
const ORIGIN_GRACE_MS = 2_000;
const START_GRACE_MS = 1_000;
const DEFAULT_INVOKE_TIMEOUT_MS = 20_000;
const START_INVOCATION_TIMEOUT_MS = 10_000;

const ENDING_METHODS: ReadonlySet<RelayMethod> = new Set([
  'session.cancel',
  'session.end',
  'session.permission',
  'invocation.cancel',
]);

/** The request of a call that has not started yet. The start determines its deadline. */
export type UnsentRequest =
  | (Omit<InvokeRequest, 'deadline'> & { machineId: string })
  | (Omit<MessageRequest, 'deadline'> & { sessionId: string })
  | (Omit<CancelTurnRequest, 'deadline'> & { sessionId: string })
  | (Omit<DecidePermissionRequest, 'deadline'> & { sessionId: string })
  | (Omit<StartSessionRequest, 'deadline'> & { machineId: string })
  | (Omit<ListAgentSessionsRequest, 'deadline'> & { machineId: string })
  | (Omit<EndSessionRequest, 'deadline'> & { sessionId: string })
  | (Omit<ReadOptionsRequest, 'deadline'> & { sessionId: string })
  | (Omit<ChangeOptionsRequest, 'deadline'> & { sessionId: string })
  | (Omit<StartInvocationRequest, 'deadline'> & { machineId: string })
  | (Omit<CancelInvocationRequest, 'deadline'> & { machineId: string })
  | (Omit<ReadOutputRequest, 'deadline'> & { machineId: string });

export function createInvokeRequest(context: CallContext, machineId: string, body: InvokeDto): UnsentRequest {
  const { command, args = [], cwd = null, timeoutMs = DEFAULT_INVOKE_TIMEOUT_MS } = body;
  return {
    ...createRequestBase(context),
    method: 'machine.invoke',
    timeoutMs: Math.min(timeoutMs, MAX_DEVICE_TIMEOUT_MS),
    machineId,
    params: { command, args, cwd },
  };
}

export function createMessageRequest(
  context: CallContext,
  sessionId: string,
  text: MessageText,
  { waitMs = MAX_MESSAGE_WAIT_MS, ifBusy = 'queue' }: Pick<SendMessageDto, 'waitMs' | 'ifBusy'> = {},
): UnsentRequest {
  const params = { ...text, waitMs, ...(ifBusy !== 'queue' && { ifBusy }) };
  return { ...createRequestBase(context), method: 'session.message', sessionId, params };
}

/**
 * Returns whether the call ends something, which an account may always do, although it causes events. A decision with a
 * message begins a turn as well.
 */
export function isEndingRequest({ method, params }: UnsentRequest): boolean {
  return ENDING_METHODS.has(method) && !hasDecisionMessage(params);
}

const hasDecisionMessage = (params: object): boolean => 'message' in params || 'sealedMessage' in params;

/** Returns what a device must have declared to get the call. */
export function getRequiredCapability({ method, params }: UnsentRequest): Capability {
  // Declared only by devices that read attachments and sealed messages, too.
  if ('ifBusy' in params) return 'session.busy';
  if ('attachments' in params) return 'session.attachments';
  if ('sealedContent' in params) return 'session.sealed';
  // Declared only by devices that pass on answers, too.
  if (hasDecisionMessage(params)) return 'permission.message';
  if ('answers' in params || 'sealedAnswers' in params) return 'session.question';
  return method === 'session.start' ? getStartCapability(params) : getMethodCapability(method);
}

/** Members of a start that devices of earlier releases would ignore, and what the others declare. */
export const MEMBER_CAPABILITIES = {
  grant: 'session.grant',
  resume: 'session.resume',
  options: 'session.options',
} satisfies Partial<Record<keyof StartSessionParams, Capability>>;

export type GuardedMember = keyof typeof MEMBER_CAPABILITIES;

/** Returns the members that the device of the machine must know. */
export function findGuardedMembers(params: object): GuardedMember[] {
  return (Object.keys(MEMBER_CAPABILITIES) as GuardedMember[]).filter((member) => member in params);
}

/** Returns what a device must have declared to get this start. */
function getStartCapability(params: object): Capability {
  const member = findGuardedMembers(params).at(-1);
  return member === undefined ? 'session.start' : MEMBER_CAPABILITIES[member];
}

export function createCancelTurnRequest(context: CallContext, sessionId: string, turnId: string): UnsentRequest {
  return { ...createRequestBase(context), method: 'session.cancel', sessionId, params: { turnId } };
}

export function createDecidePermissionRequest(
  context: CallContext,
  sessionId: string,
  params: DecidePermissionParams,
): UnsentRequest {
  return { ...createRequestBase(context), method: 'session.permission', sessionId, params };
}

export function createStartSessionRequest(
  context: CallContext,
  machineId: string,
  body: StartSessionDto,
  asked: { grant?: StartGrantParams } & AttachedParams = {},
): UnsentRequest {
  const { agent = null, cwd = null, mode = null, tag = context.requestId, content = null } = body;
  const { waitMs = MAX_MESSAGE_WAIT_MS } = body;
  return {
    ...createRequestBase(context),
    method: 'session.start',
    machineId,
    params: { agent, cwd, mode, tag, content, waitMs, ...toContinuation(body), ...toChosenOptions(body), ...asked },
  };
}

export function createListAgentSessionsRequest(
  context: CallContext,
  machineId: string,
  params: ListAgentSessionsParams,
): UnsentRequest {
  return { ...createRequestBase(context), method: 'agent.sessions', machineId, params };
}

export function createEndSessionRequest(context: CallContext, sessionId: string): UnsentRequest {
  return { ...createRequestBase(context), method: 'session.end', sessionId, params: {} };
}

export function createReadOptionsRequest(context: CallContext, sessionId: string): UnsentRequest {
  return { ...createRequestBase(context), method: 'session.options', sessionId, params: {} };
}

export function createChangeOptionsRequest(
  context: CallContext,
  sessionId: string,
  options: OptionValues,
): UnsentRequest {
  const { caller } = context;
  const mayDecide = caller.kind === 'device' || caller.scopes.includes('machines:invoke');
  return { ...createRequestBase(context), method: 'session.configure', sessionId, params: { options, mayDecide } };
}

/** The device answers when the command runs, which takes much less than the command itself. */
export function createStartInvocationRequest(
  context: CallContext,
  machineId: string,
  body: StartInvocationDto,
): UnsentRequest {
  const { command, args = [], cwd = null, timeoutMs = DEFAULT_INVOCATION_TIMEOUT_MS } = body;
  return {
    ...createRequestBase(context),
    method: 'invocation.start',
    timeoutMs: START_INVOCATION_TIMEOUT_MS,
    machineId,
    params: { command, args, cwd, timeoutMs },
  };
}

export function createCancelInvocationRequest(
  context: CallContext,
  machineId: string,
  invocationId: string,
): UnsentRequest {
  return { ...createRequestBase(context), method: 'invocation.cancel', machineId, params: { invocationId } };
}

export function createReadOutputRequest(
  context: CallContext,
  machineId: string,
  params: ReadOutputParams,
): UnsentRequest {
  return { ...createRequestBase(context), method: 'invocation.output', machineId, params };
}

function createRequestBase({ requestId, caller, traceparent }: CallContext) {
  return {
    requestId,
    timeoutMs: MAX_DEVICE_TIMEOUT_MS,
    caller: toRelayCaller(caller),
    ...(traceparent !== undefined && { traceparent }),
  };
}

function toRelayCaller(caller: Principal): RelayCaller {
  if (caller.kind === 'device') return 'device';
  return caller.type === 'pat' ? 'pat' : 'app';
}

/** Returns until when a device may start a call that starts now, and how long its origin waits for the answer. */
export function computeCallTimes(serverTime: number, timeoutMs: number): { deadline: number; answerTimeoutMs: number } {
  return { deadline: serverTime + timeoutMs + START_GRACE_MS, answerTimeoutMs: timeoutMs + ORIGIN_GRACE_MS };
}

/** @param startedAt Unix ms */
export function createCallAudit(
  { caller, idempotentRequest }: CallContext,
  { params }: UnsentRequest,
  startedAt: number,
): CallAudit {
  const requestBytes = Buffer.byteLength(JSON.stringify(params));
  return { ...identifyCaller(caller), requestBytes, keyed: idempotentRequest !== null, startedAt };
}

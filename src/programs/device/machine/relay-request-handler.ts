import type { RelayAcknowledgement, RelayRequest } from '../../../protocol';
import { CommandError } from '../exec/command-error';
import { CancellationRegistry, ExpiringIdSet } from './cancellation-registry';
import type { InvokeHandler } from './invoke-handler';
import type { MessageHandler } from './message-handler';
import type { ServerClock } from './server-clock';

export interface RelayHandlers {
  invoke: InvokeHandler;
  message: MessageHandler;
}

/** Called after each call has been answered. */
export type OnRequestCompleted = (call: {
  method: string;
  requestId: string;
  answer: RelayAcknowledgement;
  ms: number;
}) => void;

/** Ids are remembered a little longer than their deadline, in case the clock is set back. */
const COMPLETED_ID_MARGIN_MS = 5_000;

/** Far above the limits of docs/protocol/relay.md#timers. Larger values are errors, not long calls. */
const MAX_CALL_MS = 600_000;

/**
 * Decides whether a call runs, and converts its result or error to an answer (docs/protocol/device-api.md#socket). All
 * connections of a device share one handler, so that no call runs twice after a reconnect.
 */
export class RelayRequestHandler {
  private readonly runningRequests = new Map<string, Promise<RelayAcknowledgement>>();
  private readonly completedIds: ExpiringIdSet;
  private readonly cancellationRegistry: CancellationRegistry;
  private isStopping = false;

  constructor(
    private readonly clock: ServerClock,
    private readonly handlers: RelayHandlers,
    private readonly onRequestCompleted: OnRequestCompleted = () => undefined,
  ) {
    const now = (): number => clock.now();
    this.completedIds = new ExpiringIdSet(now);
    this.cancellationRegistry = new CancellationRegistry(now);
  }

  /** Runs a request. Never rejects. A duplicate of a running request gets the same answer. */
  handleRequest(payload: unknown): Promise<RelayAcknowledgement> {
    let request: RelayRequest;
    try {
      request = parseRelayRequest(payload, this.clock.now());
    } catch (error) {
      return Promise.resolve(createErrorAnswer('internal', `Invalid request: ${(error as Error).message}.`));
    }
    const runningAnswer = this.runningRequests.get(request.requestId);
    if (runningAnswer) return runningAnswer;
    const rejection = this.findRejection(request);
    return rejection ? Promise.resolve(rejection) : this.runRequest(request);
  }

  cancelRequest(payload: unknown): void {
    const requestId = (payload as { requestId?: unknown } | null)?.requestId;
    if (typeof requestId === 'string' && requestId.length <= 200) this.cancellationRegistry.cancelCall(requestId);
  }

  /** Cancels all running calls and resolves when they have ended. */
  async cancelAndAwaitRequests(): Promise<void> {
    this.isStopping = true;
    this.cancellationRegistry.cancelAllCalls();
    await Promise.all(this.runningRequests.values());
  }

  private findRejection({ requestId, deadline }: RelayRequest): RelayAcknowledgement | undefined {
    if (this.isStopping) return createErrorAnswer('cancelled', 'The device is stopping.');
    if (this.completedIds.has(requestId))
      return createErrorAnswer('internal', 'This request has already been answered.');
    if (this.cancellationRegistry.isCancelled(requestId))
      return createErrorAnswer('cancelled', 'The call was cancelled before it started.');
    if (this.clock.now() >= deadline)
      return createErrorAnswer('cancelled', 'The deadline passed before the device could start the call.');
    return undefined;
  }

  private runRequest(request: RelayRequest): Promise<RelayAcknowledgement> {
    const { requestId, method, deadline } = request;
    const startedAt = performance.now();
    const signal = this.cancellationRegistry.registerCall(requestId);
    const answer = this.dispatchRequest(request, signal)
      .then(
        (result): RelayAcknowledgement => ({ ok: true, result: { ...result } }),
        (error: unknown) => toErrorAnswer(error),
      )
      .then((completedAnswer) => {
        this.cancellationRegistry.unregisterCall(requestId);
        this.completedIds.add(requestId, deadline + COMPLETED_ID_MARGIN_MS);
        this.runningRequests.delete(requestId);
        this.onRequestCompleted({
          method,
          requestId,
          answer: completedAnswer,
          ms: Math.round(performance.now() - startedAt),
        });
        return completedAnswer;
      });
    this.runningRequests.set(requestId, answer);
    return answer;
  }

  private async dispatchRequest(request: RelayRequest, signal: AbortSignal) {
    if (request.method === 'machine.invoke') return this.handlers.invoke(request, signal);
    if (request.method === 'session.message') return this.handlers.message(request, signal);
    throw new Error(`This device doesn't serve ${request.method}.`);
  }
}

/** Formats an answer for a log line: `ok`, `exit 1`, `timed out`, or the error's code. */
export function formatAnswerOutcome(answer: RelayAcknowledgement): string {
  if (!answer.ok) return answer.error.code;
  const { timedOut, exitCode, signal } = answer.result;
  if (timedOut === true) return 'timed out';
  if (typeof signal === 'string') return signal;
  return typeof exitCode === 'number' && exitCode !== 0 ? `exit ${exitCode}` : 'ok';
}

const createErrorAnswer = (code: string, message: string): RelayAcknowledgement => ({
  ok: false,
  error: { code, message },
});

function toErrorAnswer(error: unknown): RelayAcknowledgement {
  if (error instanceof CommandError) return createErrorAnswer(error.code, error.message);
  return createErrorAnswer('internal', `The device failed: ${(error as Error).message}`);
}

type JsonObject = Record<string, unknown>;

/**
 * Validates a request of the service, which is untrusted input.
 * @throws Error naming the violation
 */
function parseRelayRequest(payload: unknown, now: number): RelayRequest {
  const request = toJsonObject(payload);
  if (!request) throw new Error('the request is not an object');
  const { requestId, method, deadline, timeoutMs } = request;
  if (!isString(requestId) || !/^[\x21-\x7e]{1,100}$/.test(requestId)) throw new Error('requestId is invalid');
  if (!Number.isFinite(deadline) || (deadline as number) > now + MAX_CALL_MS)
    throw new Error('deadline is out of range');
  if (!Number.isInteger(timeoutMs) || (timeoutMs as number) < 1 || (timeoutMs as number) > MAX_CALL_MS)
    throw new Error('timeoutMs is out of range');
  const params = toJsonObject(request.params);
  if (method === 'machine.invoke') validateInvokeParams(params);
  else if (method === 'session.message') validateMessageParams(params);
  else throw new Error(`unknown method ${JSON.stringify(method)?.slice(0, 100)}`);
  return request as unknown as RelayRequest;
}

function validateInvokeParams(params: JsonObject | undefined): void {
  if (!isArgument(params?.command) || params.command === '') throw new Error('params.command is missing');
  if (!Array.isArray(params.args) || !params.args.every(isArgument))
    throw new Error('params.args is not a list of strings');
  if (params.cwd !== null && !isArgument(params.cwd)) throw new Error('params.cwd is neither a string nor null');
}

function validateMessageParams(params: JsonObject | undefined): void {
  if (!isString(params?.content)) throw new Error('params.content is not a string');
}

function toJsonObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isArgument = (value: unknown): value is string => isString(value) && !value.includes('\0');

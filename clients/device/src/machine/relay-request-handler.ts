import type { RelayAcknowledgement, RelayRequest } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import { isJsonObject } from '../untrusted-values';
import { CancellationRegistry, ExpiringIdSet } from './cancellation-registry';
import { isRequestId, MAX_CALL_MS, parseRelayRequest } from './relay-request-validation';
import type { ServerClock } from './server-clock';

/**
 * Answers one method. The result must be a JSON object.
 * @throws CommandError with the code for the caller
 */
export type RelayMethodHandler<M extends RelayRequest['method']> = (
  request: Extract<RelayRequest, { method: M }>,
  signal: AbortSignal,
) => Promise<object>;

/** Handlers of the methods that this device serves. */
export type RelayHandlers = { [M in RelayRequest['method']]?: RelayMethodHandler<M> };

/** Reason of a call's signal when the device stops. Otherwise the service cancelled the call. */
export const DEVICE_STOPPING = 'device_stopping';

/** Called after each call has been answered. */
export type OnRequestCompleted = (call: {
  method: string;
  requestId: string;
  answer: RelayAcknowledgement;
  ms: number;
}) => void;

/** Ids are remembered a little longer than their deadline, in case the clock is set back. */
const COMPLETED_ID_MARGIN_MS = 5_000;

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
    this.cancellationRegistry = new CancellationRegistry(() => performance.now());
  }

  /** Runs a request. Never rejects. A duplicate of a running request gets the same answer. */
  handleRequest(payload: unknown): Promise<RelayAcknowledgement> {
    let request: RelayRequest;
    try {
      request = parseRelayRequest(payload);
    } catch (error) {
      return Promise.resolve(createErrorAnswer('internal', `Invalid request: ${(error as Error).message}.`));
    }
    if (request.serverTime !== undefined) this.clock.advanceTo(request.serverTime);
    const runningAnswer = this.runningRequests.get(request.requestId);
    if (runningAnswer) return runningAnswer;
    const rejection = this.findRejection(request);
    if (rejection) return Promise.resolve(rejection);
    return this.findTimeRejection(request) ? this.runAfterSynchronization(request) : this.runRequest(request);
  }

  cancelRequest(payload: unknown): void {
    const { requestId } = isJsonObject(payload) ? payload : {};
    if (isRequestId(requestId)) this.cancellationRegistry.cancelCall(requestId);
  }

  /** Cancels all running calls and resolves when they have ended. */
  async cancelAndAwaitRequests(): Promise<void> {
    this.isStopping = true;
    this.cancellationRegistry.cancelAllCalls(DEVICE_STOPPING);
    await Promise.all(this.runningRequests.values());
  }

  private findRejection({ requestId }: RelayRequest): RelayAcknowledgement | undefined {
    if (this.completedIds.has(requestId))
      return createErrorAnswer('internal', 'This request has already been answered.');
    if (this.cancellationRegistry.isCancelled(requestId))
      return createErrorAnswer('cancelled', 'The call was cancelled before it started.');
    // The socket stays open until everything has ended. With this code, callers try again and queued messages wait.
    if (this.isStopping) return createErrorAnswer('busy', 'The machine is stopping. Try again when it runs again.');
    return undefined;
  }

  private findTimeRejection({ deadline }: RelayRequest): RelayAcknowledgement | undefined {
    if (this.clock.now() >= deadline)
      return createErrorAnswer('cancelled', 'The deadline passed before the device could start the call.');
    if (deadline > this.clock.now() + MAX_CALL_MS)
      return createErrorAnswer('internal', 'Invalid request: deadline is out of range.');
    return undefined;
  }

  /** Asks for the service's time before it refuses a call for it: the clock of either side may have been set. */
  private runAfterSynchronization(request: RelayRequest): Promise<RelayAcknowledgement> {
    const { requestId } = request;
    const answer = this.clock.synchronize().then(() => {
      this.runningRequests.delete(requestId);
      return this.findRejection(request) ?? this.findTimeRejection(request) ?? this.runRequest(request);
    });
    this.runningRequests.set(requestId, answer);
    return answer;
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

  private async dispatchRequest(request: RelayRequest, signal: AbortSignal): Promise<object> {
    const handler = this.handlers[request.method] as RelayMethodHandler<RelayRequest['method']> | undefined;
    if (!handler) throw new CommandError('internal', `This device does not serve ${request.method}.`);
    return handler(request, signal);
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
  if (error instanceof CommandError) {
    const { code, message, sessionId } = error;
    return { ok: false, error: { code, message, ...(sessionId !== undefined && { sessionId }) } };
  }
  return createErrorAnswer('internal', `The device failed: ${(error as Error).message}`);
}

import type { RelayAnswer, RelayRequest } from '../../wire';
import { CommandError } from '../exec/command-error';
import { Cancellations } from './cancellations';
import { ExpiringIds } from './expiring-ids';
import type { InvokeHandler } from './invoke-handler';
import type { MessageHandler } from './message-handler';
import { parseRelayRequest } from './parse-relay-request';
import type { ServerClock } from './server-clock';

export interface RelayHandlers {
  invoke: InvokeHandler;
  message: MessageHandler;
}

/** Told of every call once it is answered. */
export type OnAnswered = (call: { method: string; requestId: string; answer: RelayAnswer; ms: number }) => void;

/** An id is remembered a little longer than its request could be started, for clocks that are set back. */
const MARGIN_MS = 5_000;

/**
 * Decides about each call whether it runs, and makes an answer of whatever happens (device-api.md, Socket).
 * Shared by all connections of a device, so that nothing runs twice when one follows another.
 */
export class RelayDesk {
  private readonly running = new Map<string, Promise<RelayAnswer>>();
  private readonly answered: ExpiringIds;
  private readonly cancellations: Cancellations;
  private stopping = false;

  constructor(
    private readonly clock: ServerClock,
    private readonly handlers: RelayHandlers,
    private readonly onAnswered: OnAnswered = () => undefined,
  ) {
    const now = (): number => clock.now();
    this.answered = new ExpiringIds(now);
    this.cancellations = new Cancellations(now);
  }

  /** Never rejects. The same request again waits for the one run and its answer. */
  handle(payload: unknown): Promise<RelayAnswer> {
    let request: RelayRequest;
    try {
      request = parseRelayRequest(payload, this.clock.now());
    } catch (error) {
      return Promise.resolve(refusal('internal', `Refused: ${(error as Error).message}.`));
    }
    const running = this.running.get(request.requestId);
    if (running) return running;
    const answer = this.refuse(request);
    return answer ? Promise.resolve(answer) : this.run(request);
  }

  cancel(payload: unknown): void {
    const requestId = (payload as { requestId?: unknown } | null)?.requestId;
    if (typeof requestId === 'string' && requestId.length <= 200) this.cancellations.cancel(requestId);
  }

  /** Cancels what runs and resolves once all of it has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.cancellations.cancelAll();
    await Promise.all(this.running.values());
  }

  private refuse({ requestId, deadline }: RelayRequest): RelayAnswer | undefined {
    if (this.stopping) return refusal('cancelled', 'The device is stopping.');
    if (this.answered.has(requestId)) return refusal('internal', 'This request was already answered.');
    if (this.cancellations.has(requestId)) return refusal('cancelled', 'The call was cancelled before it began.');
    if (this.clock.now() >= deadline)
      return refusal('cancelled', 'The deadline had passed before the device could begin.');
    return undefined;
  }

  private run(request: RelayRequest): Promise<RelayAnswer> {
    const { requestId, method, deadline } = request;
    const startedAt = performance.now();
    const signal = this.cancellations.begin(requestId);
    const answer = this.dispatch(request, signal)
      .then(
        (result): RelayAnswer => ({ ok: true, result: { ...result } }),
        (error: unknown) => failure(error),
      )
      .then((made) => {
        this.cancellations.end(requestId);
        this.answered.add(requestId, deadline + MARGIN_MS);
        this.running.delete(requestId);
        this.onAnswered({ method, requestId, answer: made, ms: Math.round(performance.now() - startedAt) });
        return made;
      });
    this.running.set(requestId, answer);
    return answer;
  }

  private async dispatch(request: RelayRequest, signal: AbortSignal) {
    return request.method === 'machine.invoke'
      ? this.handlers.invoke(request, signal)
      : this.handlers.message(request, signal);
  }
}

/** One word or two for a log line: `ok`, `exit 1`, `timed out`, or the error's code. */
export function answerOutcome(answer: RelayAnswer): string {
  if (!answer.ok) return answer.error.code;
  const { timedOut, exitCode, signal } = answer.result;
  if (timedOut === true) return 'timed out';
  if (typeof signal === 'string') return signal;
  return typeof exitCode === 'number' && exitCode !== 0 ? `exit ${exitCode}` : 'ok';
}

const refusal = (code: string, message: string): RelayAnswer => ({ ok: false, error: { code, message } });

function failure(error: unknown): RelayAnswer {
  if (error instanceof CommandError) return refusal(error.code, error.message);
  return refusal('internal', `The device failed: ${(error as Error).message}`);
}

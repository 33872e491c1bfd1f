import { MINUTE } from '../../../common/clock';
import type { DeviceAnswer } from '../device-answer';

const KEEP_MS = 5 * MINUTE;
const MAX_EXPECTED = 10_000;

type Handler = (answer: DeviceAnswer) => void;

/** Who is told of an answer that comes after its call was given up: for five minutes, and not for ever more calls. */
export class LateAnswers {
  private readonly expected = new Map<string, { handler: Handler; timer: NodeJS.Timeout }>();

  expect(callId: string, handler: Handler): void {
    const [oldest] = this.expected.keys();
    if (oldest !== undefined && this.expected.size >= MAX_EXPECTED) this.forget(oldest);
    const timer = setTimeout(() => this.forget(callId), KEEP_MS).unref();
    this.expected.set(callId, { handler, timer });
  }

  /** False where nobody expects it, or no longer. */
  take(callId: string, answer: DeviceAnswer): boolean {
    const entry = this.expected.get(callId);
    if (!entry) return false;
    this.forget(callId);
    entry.handler(answer);
    return true;
  }

  clear(): void {
    for (const callId of [...this.expected.keys()]) this.forget(callId);
  }

  private forget(callId: string): void {
    clearTimeout(this.expected.get(callId)?.timer);
    this.expected.delete(callId);
  }
}

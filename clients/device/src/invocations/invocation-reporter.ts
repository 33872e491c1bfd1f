import type { InvocationReport } from '@external-api/protocol';
import type { StateReporter } from '../turns/state-reporter';

/** Reports the states of this machine's invocations. */
export class InvocationReporter {
  constructor(
    private readonly reporter: StateReporter,
    private readonly machineId: string,
  ) {}

  get closeSignal(): AbortSignal {
    return this.reporter.closeSignal;
  }

  get waitingCount(): number {
    return this.reporter.waitingCount;
  }

  /** Resolves when the service has stored the state or has rejected it, or a newer one has replaced it. */
  async sendReport(requestId: string, report: InvocationReport): Promise<void> {
    const path = `/v1/machines/${encodeURIComponent(this.machineId)}/invocations/${encodeURIComponent(requestId)}`;
    await this.reporter.reportState(path, report);
  }

  close(): Promise<void> {
    return this.reporter.close();
  }
}

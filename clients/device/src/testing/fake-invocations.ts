import type { InvocationReport, InvocationState } from '@external-api/protocol';
import { FakeServiceError } from './fake-accounts';

export type FakeInvocation = Omit<InvocationReport, 'state'> & {
  requestId: string;
  state: InvocationState;
  createdAt: number;
};

/** Invocations of the fake service, after docs/protocol/invocations.md. */
export class FakeInvocations {
  readonly invocations = new Map<string, FakeInvocation>();
  /** All states in the order in which they were reported, as `req_1 running`. */
  readonly reportedStates: string[] = [];
  /** Returns the error of a report, if it should fail. */
  getReportError: ((report: InvocationReport) => FakeServiceError | undefined) | undefined;

  /** Stores an invocation as the service does before it sends the call. */
  addStarting(requestId: string, change: Partial<FakeInvocation> = {}): void {
    this.invocations.set(requestId, {
      requestId,
      revision: 0,
      state: 'starting',
      errorCode: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      stdoutBytes: 0,
      stderrBytes: 0,
      startedAt: null,
      endedAt: null,
      createdAt: Date.now(),
      ...change,
    });
  }

  getRecord(requestId: string): FakeInvocation {
    return this.invocations.get(requestId)!;
  }

  /** Returns undefined for a route that is not of invocations. */
  handleRoute(route: string, body: unknown): object | undefined {
    const [, method, requestId = '', query] =
      /^(GET|PUT) \/v1\/machines\/\w+\/invocations\/?([^/?]*)(?:\?(.*))?$/.exec(route) ?? [];
    if (!method) return undefined;
    if (method === 'GET') return this.listInvocations(new URLSearchParams(query).get('state'));
    const report = body as InvocationReport;
    const error = this.getReportError?.(report);
    if (error) throw error;
    const stored = this.invocations.get(decodeURIComponent(requestId));
    if (!stored) throw new FakeServiceError(404, 'not_found');
    this.reportedStates.push(`${stored.requestId} ${report.state}`);
    const isOpen = ['starting', 'running', 'lost'].includes(stored.state);
    if (isOpen && report.revision > stored.revision) Object.assign(stored, report);
    return { data: stored };
  }

  private listInvocations(state: string | null) {
    const data = [...this.invocations.values()].filter((each) => each.state === state);
    return { data, nextCursor: null };
  }
}

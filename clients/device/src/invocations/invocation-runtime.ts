import { resolve } from 'node:path';
import { computeInvocationRequestId, type CancelInvocationResult, type ReadOutputResult } from '@external-api/protocol';
import type { InvocationResource } from '../api-resources';
import type { LiveOutputRequests } from '../live/live-output-requests';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import type { RelayHandlers } from '../machine/relay-request-handler';
import { retryTransientErrors } from '../machine/retry';
import type { ServerClock } from '../machine/server-clock';
import type { SignedInDevice } from '../signed-in-device';
import { StateReporter } from '../turns/state-reporter';
import type { InvocationFiles } from './invocation-files';
import { InvocationJournal } from './invocation-journal';
import { InvocationReporter } from './invocation-reporter';
import { createUnknownReport } from './invocation-reports';
import { InvocationRunner } from './invocation-runner';

/** Younger invocations that this device doesn't know may still be on their way to it. */
const MIN_UNKNOWN_AGE_MS = 60_000;
const CLEANUP_INTERVAL_MS = 10 * 60_000;
const OPEN_STATES = ['lost', 'starting', 'running'] as const;

export interface InvocationRuntimeDependencies {
  device: SignedInDevice;
  machineId: string;
  /** Base of relative folders, and the default. */
  workingDirectory: string;
  files: InvocationFiles;
  capabilities: CapabilityNegotiation;
  clock: ServerClock;
  liveOutput: LiveOutputRequests;
  backoff?: BackoffOptions;
  onProblem: (problem: string) => void;
}

/** Runs commands that outlive the calls that start them (docs/protocol/invocations.md). */
export class InvocationRuntime {
  private readonly cleanupTimer: NodeJS.Timeout;
  private lastReviewNumber = 0;

  private constructor(
    private readonly dependencies: InvocationRuntimeDependencies,
    private readonly reporter: InvocationReporter,
    private readonly journal: InvocationJournal,
    private readonly runner: InvocationRunner,
  ) {
    this.cleanupTimer = setInterval(() => void journal.deleteExpired(), CLEANUP_INTERVAL_MS).unref();
    dependencies.capabilities.onHello(() => void this.reviewInvocations());
  }

  /** Restores the invocations of an earlier run, and reports how they have ended. */
  static async openRuntime(dependencies: InvocationRuntimeDependencies): Promise<InvocationRuntime> {
    const stateReporter = new StateReporter({ ...dependencies, capability: 'invocation' });
    const reporter = new InvocationReporter(stateReporter, dependencies.machineId);
    const journal = await InvocationJournal.openJournal({ ...dependencies, reporter });
    const runner = new InvocationRunner({ ...dependencies, journal });
    return new InvocationRuntime(dependencies, reporter, journal, runner);
  }

  createHandlers(): RelayHandlers {
    const { journal, runner, dependencies } = this;
    return {
      'invocation.start': ({ params, ...request }, signal) => {
        const cwd = resolve(dependencies.workingDirectory, params.cwd ?? '.');
        return runner.startInvocation(request, { ...params, cwd }, signal);
      },
      'invocation.cancel': async ({ params }): Promise<CancelInvocationResult> => {
        const requestId = computeInvocationRequestId(params.invocationId);
        const report = await runner.cancelInvocation(requestId);
        if (!report) this.reportUnknown(requestId, null);
        return { state: report?.state ?? 'failed' };
      },
      'invocation.output': async ({ params }): Promise<ReadOutputResult> => {
        const { invocationId, stream, ...range } = params;
        const requestId = computeInvocationRequestId(invocationId);
        const { offset, data, totalBytes, eof } = await journal.readOutput(requestId, stream, range);
        const nextOffset = offset + data.length;
        return { stream, offset, nextOffset, totalBytes, data: data.toString('base64'), eof };
      },
    };
  }

  get waitingReportCount(): number {
    return this.reporter.waitingCount;
  }

  /** Ends all commands, which can't be continued. */
  stop(): Promise<void> {
    clearInterval(this.cleanupTimer);
    return this.runner.stop();
  }

  /** Waits briefly for the service. */
  async closeReporter(): Promise<void> {
    await this.reporter.close();
    await this.journal.close();
  }

  /**
   * Reports again what the service has called lost, and ends what it calls open and this device doesn't know. Tries
   * until the service answers, or the next connection begins anew.
   */
  private async reviewInvocations(): Promise<void> {
    const { capabilities, backoff, onProblem } = this.dependencies;
    const { closeSignal: signal } = this.reporter;
    const reviewNumber = ++this.lastReviewNumber;
    if (!capabilities.isAccepted('invocation')) return;
    const review = async (): Promise<void> => {
      for (const state of OPEN_STATES) if (reviewNumber === this.lastReviewNumber) await this.reviewState(state);
    };
    await retryTransientErrors(review, { backoff: new Backoff(backoff), signal }).catch((error: Error) => {
      if (!signal.aborted) onProblem(`The open invocations can't be found: ${error.message}`);
    });
  }

  private async reviewState(state: (typeof OPEN_STATES)[number]): Promise<void> {
    const { device, machineId, clock } = this.dependencies;
    const path = `/v1/machines/${encodeURIComponent(machineId)}/invocations?state=${state}`;
    for await (const { requestId, startedAt, createdAt } of device.iterateItems<InvocationResource>(path)) {
      const entry = this.journal.findEntry(requestId);
      if (entry?.isSettled) this.journal.repeatEnd(entry);
      // A new revision of the same state, since the service has stored the last one. A final state stays.
      else if (entry?.report && state === 'lost') await this.journal.changeReport(entry, {});
      else if (!entry && createdAt < clock.now() - MIN_UNKNOWN_AGE_MS) this.reportUnknown(requestId, startedAt);
    }
  }

  private reportUnknown(requestId: string, startedAt: number | null): void {
    void this.reporter.sendReport(requestId, createUnknownReport(startedAt, this.dependencies.clock.now()));
  }
}

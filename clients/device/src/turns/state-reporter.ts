import { setTimeout as sleep } from 'node:timers/promises';
import type { Capability } from '@external-api/protocol';
import { ApiResponseError, DeviceRejectedError, isTransient } from '../client-errors';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { waitBeforeAttempt } from '../machine/retry';
import type { SignedInDevice } from '../signed-in-device';

/** How long a clean stop waits for the service. */
const CLOSE_TIMEOUT_MS = 2_000;

interface PendingReport {
  body: object;
  send: () => Promise<unknown>;
  resolveStored: (isStored: boolean) => void;
}

export interface StateReporterDependencies {
  device: SignedInDevice;
  capabilities: CapabilityNegotiation;
  /** What the service must accept to store the states. Default: that of turns. */
  capability?: Capability;
  backoff?: BackoffOptions;
  onProblem: (problem: string) => void;
}

/**
 * Writes the states of turns and permission requests, or of invocations, to the service, in the order of the records,
 * of each only the newest. Retries until the service has stored a state or rejects it permanently. Waits while the
 * service is a release without them, and while it can't be reached. A state that the service fails to store delays only
 * its own record.
 */
export class StateReporter {
  private readonly pendingReports = new Map<string, PendingReport>();
  /** Paths that the service has failed to store, until their next attempt succeeds. */
  private readonly pathBackoffs = new Map<string, Backoff>();
  private readonly delayedPaths = new Set<string>();
  private readonly backoff: Backoff;
  private readonly closeController = new AbortController();
  private sendLoop: Promise<void> | undefined;

  constructor(private readonly dependencies: StateReporterDependencies) {
    this.backoff = new Backoff(dependencies.backoff);
    dependencies.capabilities.onHello(() => this.startSending());
  }

  /**
   * Replaces the state that is to be written to this path.
   * @param send writes the state
   * @returns whether the service stored the state. It is false if a newer state replaced it, or if it was rejected.
   */
  reportState(
    path: string,
    body: object,
    send: () => Promise<unknown> = () => this.dependencies.device.callApi('PUT', path, body),
  ): Promise<boolean> {
    return new Promise((resolveStored) => {
      this.pendingReports.get(path)?.resolveStored(false);
      this.pendingReports.set(path, { body, send, resolveStored });
      this.startSending();
    });
  }

  /** Whether a state is still to be written to this path. */
  isWaiting(path: string): boolean {
    return this.pendingReports.has(path);
  }

  /** Drops the state that is still to be written to this path. */
  discardReport(path: string): void {
    this.pendingReports.get(path)?.resolveStored(false);
    this.pendingReports.delete(path);
  }

  /** Number of states that are still to be written. */
  get waitingCount(): number {
    return this.pendingReports.size;
  }

  /** Aborts when the device has stopped. */
  get closeSignal(): AbortSignal {
    return this.closeController.signal;
  }

  /** Waits briefly for the service. */
  async close(): Promise<void> {
    if (this.sendLoop) await Promise.race([this.sendLoop, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    this.closeController.abort();
  }

  private startSending(): void {
    if (this.findNextReport()) this.sendLoop ??= this.sendReports();
  }

  private findNextReport(): [string, PendingReport] | undefined {
    const { capabilities, capability = 'session.cancel' } = this.dependencies;
    if (!capabilities.isAccepted(capability) || this.closeController.signal.aborted) return undefined;
    return [...this.pendingReports].find(([path, { body }]) => !this.isDelayed(path, body));
  }

  /** A permission request is also delayed by its turn, before which the service does not accept it. */
  private isDelayed(path: string, body: object): boolean {
    if (this.delayedPaths.has(path)) return true;
    const turnLocalId = 'turnLocalId' in body ? String(body.turnLocalId) : undefined;
    if (turnLocalId === undefined) return false;
    const [sessionPath] = path.split('/permission-requests/', 1);
    return this.delayedPaths.has(`${sessionPath}/turns/${encodeURIComponent(turnLocalId)}`);
  }

  private async sendReports(): Promise<void> {
    for (let next; (next = this.findNextReport());) await this.sendReport(...next);
    // In the same synchronous step as the check of the reports, so that a later one starts a new run.
    this.sendLoop = undefined;
  }

  private async sendReport(path: string, report: PendingReport): Promise<void> {
    const { onProblem, capabilities } = this.dependencies;
    const { signal } = this.closeController;
    try {
      await report.send();
      this.backoff.resetDelay();
      this.settleReport(path, report, true);
    } catch (error) {
      if (isRejection(error)) {
        onProblem(`The service rejected a state permanently: ${error.message}`);
        return this.settleReport(path, report, false);
      }
      onProblem((error as Error).message);
      if (error instanceof ApiResponseError && error.status >= 500) this.delayPath(path, error);
      else await waitBeforeAttempt(error, { backoff: this.backoff, capabilities, signal });
    }
  }

  /** Keeps a newer state that was reported during the request. */
  private settleReport(path: string, report: PendingReport, isStored: boolean): void {
    if (this.pendingReports.get(path) === report) this.pendingReports.delete(path);
    this.pathBackoffs.delete(path);
    report.resolveStored(isStored);
  }

  /** The service may be unable to store this state only, so the others are sent meanwhile. */
  private delayPath(path: string, error: ApiResponseError): void {
    const backoff = this.pathBackoffs.get(path) ?? new Backoff(this.dependencies.backoff);
    this.pathBackoffs.set(path, backoff);
    this.delayedPaths.add(path);
    const { signal } = this.closeController;
    void sleep(backoff.getNextDelayMs(error), undefined, { signal }).then(
      () => {
        this.delayedPaths.delete(path);
        this.startSending();
      },
      () => undefined,
    );
  }
}

/** Whether the service will never store the state: it refuses the request, or this device. */
function isRejection(error: unknown): error is Error {
  if (error instanceof DeviceRejectedError) return true;
  return error instanceof ApiResponseError && !isTransient(error) && error.status !== 401;
}

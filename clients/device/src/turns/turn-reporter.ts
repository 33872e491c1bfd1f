import { isFinalTurnState, type TurnReport } from '@external-api/protocol';
import type { TurnResource } from '../api-resources';
import type { HistoryWriter } from '../history/history-writer';
import { putTurnReport, removeDetails } from '../history/turn-announcer';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import type { ServerClock } from '../machine/server-clock';
import type { SignedInDevice } from '../signed-in-device';
import type { StateReporter } from './state-reporter';
import type { TurnEntry } from './turn-journal';
import { createLostReport, createStartReport, getTurnPath } from './turn-reports';

export interface TurnReporterDependencies {
  device: SignedInDevice;
  reporter: StateReporter;
  history: HistoryWriter;
  capabilities: CapabilityNegotiation;
  clock: ServerClock;
}

/** Reports the states of turns in an order that the service accepts. */
export class TurnReporter {
  /** Turns whose state `running` the service has stored. From `queued`, a turn can't be completed. */
  private readonly startedTurns = new Set<string>();
  /** Whether the service stores the state `running` that is being sent, by request id. */
  private readonly pendingStarts = new Map<string, Promise<boolean>>();
  /** By request id */
  private readonly newestRevisions = new Map<string, number>();
  /** Paths of the repeated reports that the service has not answered yet. */
  private readonly sentActivities = new Set<string>();

  constructor(private readonly dependencies: TurnReporterDependencies) {}

  /**
   * Reports a state, the final one only after the service has stored the turn's messages or has rejected them. Resolves
   * when the service has stored the state or has rejected it permanently, or a newer one has replaced it.
   * @returns whether the service stored it
   */
  async reportEntry(entry: TurnEntry): Promise<boolean> {
    const isEnd = isFinalTurnState(entry.report.state);
    if (isEnd) await this.dependencies.history.waitUntilTurnIsStored(entry.requestId);
    if (!isEnd || !(await this.isOfOlderService(entry))) return this.sendReport(entry);
    this.dependencies.reporter.discardReport(getTurnPath(entry));
    return false;
  }

  /** Reports a new turn as queued, unless it begins at once: then one report says both. */
  async reportNewTurn(entry: TurnEntry): Promise<void> {
    const { requestId, report } = entry;
    this.newestRevisions.set(requestId, report.revision);
    await this.dependencies.history.expectStart(requestId);
    if (this.newestRevisions.get(requestId) === report.revision) await this.reportEntry(entry);
  }

  /** Reports the end of an open turn that this device doesn't know, and returns the report. */
  reportLostTurn(
    turn: Pick<TurnEntry, 'sessionId' | 'requestId'> & Partial<Pick<TurnResource, 'startedAt' | 'usage'>>,
  ): TurnReport {
    const report = createLostReport(turn, this.dependencies.clock.now());
    void this.putState(getTurnPath(turn), report);
    return report;
  }

  /** Repeats the stored report of a turn with a newer time. One that is lost, or comes too soon, is not sent again. */
  reportActivity(entry: TurnEntry): void {
    const { device, capabilities, reporter } = this.dependencies;
    const path = getTurnPath(entry);
    if (!capabilities.isAccepted('turn.details') || reporter.isWaiting(path) || this.sentActivities.has(path)) return;
    this.sentActivities.add(path);
    const sent = device.callApi('PUT', path, entry.report).catch(() => undefined);
    void sent.finally(() => this.sentActivities.delete(path));
  }

  /** Returns what the service accepts of a report. */
  selectMembers(report: TurnReport): TurnReport {
    return this.dependencies.capabilities.isAccepted('turn.details') ? report : removeDetails(report);
  }

  /** Forgets what the service has stored of a turn, which has ended or is reported from the beginning. */
  forgetTurn(requestId: string): void {
    this.startedTurns.delete(requestId);
    this.newestRevisions.delete(requestId);
  }

  /** Sends the start of each turn again before its end: the service may have lost it. */
  forgetStarts(): void {
    this.startedTurns.clear();
  }

  private async sendReport(entry: TurnEntry): Promise<boolean> {
    const { reporter, history } = this.dependencies;
    const { sessionId, requestId, report } = entry;
    const path = getTurnPath(entry);
    this.newestRevisions.set(requestId, report.revision);
    const mustHaveStarted = report.state === 'completed' || report.state === 'requires_action';
    if (mustHaveStarted && !this.startedTurns.has(requestId)) {
      // False also if a newer state has replaced this one, which then does the same.
      const start =
        this.pendingStarts.get(requestId) ?? this.awaitStart(requestId, this.putState(path, createStartReport(report)));
      if (!(await start)) return false;
      // A newer state was reported in the same moment, which this one must not replace.
      if (this.newestRevisions.get(requestId) !== report.revision) return false;
    }
    // The history may be sending the first report at this moment, before the message of the turn.
    const stored =
      report.revision === 1
        ? reporter.reportState(path, report, () => history.announceTurn(sessionId, requestId))
        : this.putState(path, report);
    return report.state === 'running' ? this.awaitStart(requestId, stored) : stored;
  }

  private putState(path: string, report: TurnReport): Promise<boolean> {
    const { device, reporter } = this.dependencies;
    return reporter.reportState(path, report, () => putTurnReport(device, path, this.selectMembers(report)));
  }

  /** Returns whether the service has stored the state `running`. Later states wait for it rather than send it again. */
  private async awaitStart(requestId: string, stored: Promise<boolean>): Promise<boolean> {
    this.pendingStarts.set(requestId, stored);
    const isStored = await stored;
    if (isStored) {
      this.startedTurns.add(requestId);
      this.dependencies.history.confirmStart(requestId);
    }
    if (this.pendingStarts.get(requestId) === stored) this.pendingStarts.delete(requestId);
    return isStored;
  }

  /** Whether the service has never heard of the turn and doesn't store turns. */
  private async isOfOlderService({ isUnknownToService = false }: TurnEntry): Promise<boolean> {
    const { capabilities } = this.dependencies;
    await capabilities.waitForHello();
    return isUnknownToService && !capabilities.areTurnsAccepted;
  }
}

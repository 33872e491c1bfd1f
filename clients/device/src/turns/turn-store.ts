import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  computeRequestId,
  encodeCrockford,
  isFinalTurnState,
  REPORTED_TURN_STATES,
  type RelayRequest,
  type TurnReport,
  type TurnState,
} from '@external-api/protocol';
import type { TurnResource } from '../api-resources';
import { createFirstTurnReport } from '../history/turn-announcer';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import { retryTransientErrors } from '../machine/retry';
import { Turn } from './turn';
import type { TurnEntry, TurnJournal } from './turn-journal';
import { TurnReporter, type TurnReporterDependencies } from './turn-reporter';
import { createLostChange, LAST_REVISION } from './turn-reports';

/** A request can't arrive later than this after its deadline, in case the clock is set back. */
const DEADLINE_MARGIN_MS = 60_000;
/** A lost turn may still end, so it counts as open. */
const OPEN_STATES = [...REPORTED_TURN_STATES.filter((state) => !isFinalTurnState(state)), 'lost'] as const;

/** A turn of this device as the service knows it, with the id under which the device reports it. */
type OwnTurn = Omit<TurnResource, 'requestId'> & { requestId: string };

export interface TurnStoreDependencies extends TurnReporterDependencies {
  journal: TurnJournal;
  backoff?: BackoffOptions;
  onProblem: (problem: string) => void;
}

/** The turns of this device: in memory, in the journal, and reported to the service. */
export class TurnStore {
  private readonly entries = new Map<string, TurnEntry>();
  private readonly turns = new Map<string, Turn>();
  /** Request ids of turns whose end the service refuses, and which are not reported again. */
  private readonly rejectedEnds = new Set<string>();
  /** Resolve when the service has stored or refused the end of a turn, by request id. */
  private readonly pendingEnds = new Map<string, Promise<void>>();
  private readonly turnReporter: TurnReporter;
  private lastReviewNumber = 0;

  private constructor(private readonly dependencies: TurnStoreDependencies) {
    this.turnReporter = new TurnReporter(dependencies);
  }

  /**
   * Loads the turns of an earlier run. A turn that was prompted has failed with `agent_lost`: its agent ended with the
   * device, and may have acted on the prompt, so that it must not be prompted again.
   */
  static async openFromJournal(dependencies: TurnStoreDependencies): Promise<TurnStore> {
    const store = new TurnStore(dependencies);
    const { journal, capabilities, onProblem } = dependencies;
    const entries = await journal.loadEntries((problem, turn) => {
      onProblem(problem);
      if (turn) store.turnReporter.reportLostTurn(turn);
    });
    for (const entry of entries) await store.restoreTurn(entry);
    await store.deleteSettledEntries();
    capabilities.onHello(() => void store.reviveLostTurns());
    return store;
  }

  get openTurns(): Turn[] {
    return [...this.turns.values()].filter(({ hasEnded }) => !hasEnded);
  }

  /** Returns the turns of an earlier run that are still to run: the interrupting ones first, then the oldest. */
  get waitingTurns(): Turn[] {
    const waiting = this.openTurns.filter(({ isPrompted }) => !isPrompted);
    return [...waiting.filter(({ isFirst }) => isFirst).reverse(), ...waiting.filter(({ isFirst }) => !isFirst)];
  }

  findTurn(requestId: string): Turn | undefined {
    return this.turns.get(requestId);
  }

  /**
   * Writes a queued turn to the journal. Resolves once it survives the end of the process and, synced, a power failure.
   * @param prompt compact JWE of the message
   * @param isFirst whether it goes before the others that wait, after a restart as well
   * @throws Error when the journal can't be written; then there is no turn
   */
  async createTurn(
    { requestId, deadline, caller }: Pick<RelayRequest, 'requestId' | 'deadline' | 'caller'>,
    sessionId: string,
    prompt: string,
    { isFirst, isSynced }: { isFirst: boolean; isSynced: boolean },
  ): Promise<Turn> {
    await this.deleteSettledEntries();
    const createdAt = this.dependencies.clock.now();
    const entry: TurnEntry = {
      ...{ requestId, sessionId, prompt, deadline, createdAt },
      caller: caller ?? null,
      isPrompted: false,
      ...(isFirst && { isFirst }),
      isSettled: false,
      isUnknownToService: !this.dependencies.capabilities.areTurnsAccepted,
      report: createFirstTurnReport(),
    };
    const { journal } = this.dependencies;
    await journal.saveEntry(entry, isSynced).catch(async (error: unknown) => {
      // The file may be there, and only its sync have failed.
      await journal.deleteEntry(requestId).catch(() => undefined);
      throw error;
    });
    const turn = this.addTurn(entry);
    void this.turnReporter.reportNewTurn(entry);
    return turn;
  }

  /** Lets a created turn survive a power failure, unless it has begun: then it does. @throws Error such as EIO */
  async syncWaitingTurn({ requestId }: Turn): Promise<void> {
    if (!this.entries.get(requestId)?.isPrompted) await this.dependencies.journal.syncEntry(requestId);
  }

  /**
   * Begins a turn of the agent, which is running. Its first state is in the journal, and its report on its way, when
   * {@link Turn.saved} resolves. It runs also if the journal can't be written: after a restart it is unknown then.
   */
  beginAgentTurn(sessionId: string): Turn {
    const now = this.dependencies.clock.now();
    const turn = this.addTurn({
      requestId: createLocalId(),
      sessionId,
      caller: null,
      prompt: '',
      deadline: now,
      createdAt: now,
      isPrompted: true,
      isSettled: false,
      report: { ...createFirstTurnReport('agent'), state: 'running', startedAt: now },
    });
    void turn.repeatReport().catch((error: Error) => {
      this.dependencies.onProblem(`The journal can't be written: ${error.message}`);
    });
    void this.deleteSettledEntries();
    return turn;
  }

  /**
   * Reports how the turns of a session ended that the service calls open and this device doesn't: it no longer knows
   * them, for example after its journal was deleted, or the service has lost their end, as after a restore.
   * @throws ApiResponseError, UnreachableError
   */
  async reportEndedTurns(sessionId: string): Promise<void> {
    for (const state of OPEN_STATES)
      for await (const turn of this.iterateOwnTurns(sessionId, state)) {
        const entry = this.entries.get(turn.requestId);
        if (!entry) this.reportLostTurn(turn);
        else if (entry.isSettled && !this.rejectedEnds.has(turn.requestId)) this.repeatEntry(entry);
      }
  }

  /** Reports the states of all open turns again, as to a service that may have lost them. */
  repeatOpenTurns(): void {
    this.dependencies.history.forgetAnnouncedTurns();
    // Ended turns may still wait for their messages.
    this.turnReporter.forgetStarts();
    for (const { requestId } of this.openTurns) this.repeatEntry(this.entries.get(requestId)!);
  }

  /** Fails a turn that can't be run or continued. */
  async loseTurn(turn: Turn): Promise<void> {
    await turn.changeState(createLostChange(this.dependencies.clock.now()));
  }

  /** Reports an open turn that this device doesn't know, and returns the report. */
  reportLostTurn(turn: Pick<OwnTurn, 'sessionId' | 'requestId'> & Partial<OwnTurn>): TurnReport {
    return this.turnReporter.reportLostTurn(turn);
  }

  /** Returns the end of an ended turn if the service has neither stored nor refused it within this time. */
  async findUnstoredEnd(turn: Turn, timeoutMs: number): Promise<TurnReport | undefined> {
    await turn.saved;
    await Promise.race([this.pendingEnds.get(turn.requestId), sleep(timeoutMs, undefined, { ref: false })]);
    const entry = this.entries.get(turn.requestId);
    return entry && !entry.isSettled ? this.turnReporter.selectMembers(entry.report) : undefined;
  }

  /**
   * Reports the open turns again that the service has called lost while this device was away. Tries until the service
   * answers, or the next connection begins anew.
   */
  private async reviveLostTurns(): Promise<void> {
    const { capabilities, reporter, backoff, onProblem } = this.dependencies;
    const { closeSignal: signal } = reporter;
    const reviewNumber = ++this.lastReviewNumber;
    if (!capabilities.areTurnsAccepted) return;
    for (const sessionId of new Set(this.openTurns.map((turn) => turn.sessionId))) {
      const review = async (): Promise<void> => {
        if (reviewNumber !== this.lastReviewNumber) return;
        for await (const { requestId } of this.iterateOwnTurns(sessionId, 'lost'))
          await this.turns.get(requestId)?.repeatReport();
      };
      await retryTransientErrors(review, { backoff: new Backoff(backoff), signal }).catch((error: Error) => {
        if (!signal.aborted) onProblem(`The lost turns of ${sessionId} can't be found: ${error.message}`);
      });
    }
  }

  private async *iterateOwnTurns(sessionId: string, state: TurnState): AsyncGenerator<OwnTurn> {
    const { device } = this.dependencies;
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}/turns?state=${state}`;
    for await (const turn of device.iterateItems<TurnResource>(path))
      if (turn.deviceId === device.state.deviceId) yield { ...turn, requestId: computeRequestId(turn.id) };
  }

  private async restoreTurn(entry: TurnEntry): Promise<void> {
    const isLost = entry.isPrompted && !isFinalTurnState(entry.report.state);
    // A power failure may have undone states that the service knows.
    if (isLost) entry.report.revision = LAST_REVISION - 1;
    const turn = this.addTurn(entry);
    if (isLost) await this.loseTurn(turn);
    else if (!entry.isSettled) void this.reportEntry(entry);
  }

  private addTurn(entry: TurnEntry): Turn {
    const turn = new Turn(
      entry,
      (changedEntry) => this.saveEntry(changedEntry),
      (activeEntry) => this.turnReporter.reportActivity(activeEntry),
    );
    this.entries.set(entry.requestId, entry);
    this.turns.set(entry.requestId, turn);
    return turn;
  }

  /** Reports a state even if the journal can't be written, since callers wait for it. Syncs the mark and the end. */
  private async saveEntry(entry: TurnEntry): Promise<void> {
    const { journal, onProblem } = this.dependencies;
    const isMark = entry.isPrompted && !this.entries.get(entry.requestId)?.isPrompted;
    this.entries.set(entry.requestId, entry);
    try {
      await journal.saveEntry(entry, isMark || isFinalTurnState(entry.report.state));
    } catch (error) {
      if (!isFinalTurnState(entry.report.state)) throw error;
      onProblem(`The journal can't be written: ${(error as Error).message}`);
      // The entry of an earlier state would run the turn again after a restart.
      await journal.deleteEntry(entry.requestId).catch(() => undefined);
    } finally {
      void this.reportEntry(entry);
    }
  }

  private repeatEntry(entry: TurnEntry): void {
    // The service may be in a state from before the start of the turn.
    this.turnReporter.forgetTurn(entry.requestId);
    void this.reportEntry(entry);
  }

  private async reportEntry(entry: TurnEntry): Promise<void> {
    const isStored = this.turnReporter.reportEntry(entry);
    if (!isFinalTurnState(entry.report.state)) return void (await isStored);
    const settled = this.settleEnd(entry, isStored);
    this.pendingEnds.set(entry.requestId, settled);
    await settled;
    if (this.pendingEnds.get(entry.requestId) === settled) this.pendingEnds.delete(entry.requestId);
  }

  private async settleEnd(entry: TurnEntry, stored: Promise<boolean>): Promise<void> {
    const isStored = await stored;
    if (isStored) this.rejectedEnds.delete(entry.requestId);
    else this.rejectedEnds.add(entry.requestId);
    await this.settleEntry({ ...entry, isSettled: true });
  }

  private async settleEntry(entry: TurnEntry): Promise<void> {
    this.entries.set(entry.requestId, entry);
    await this.dependencies.journal.saveEntry(entry, false).catch((error: Error) => {
      this.dependencies.onProblem(`The journal can't be written: ${error.message}`);
    });
  }

  /** Deletes turns whose request can't arrive again and whose end the service has stored. */
  private async deleteSettledEntries(): Promise<void> {
    const now = this.dependencies.clock.now();
    for (const { requestId, deadline, isSettled } of this.entries.values()) {
      // However old an end is: without its entry, the turn would be reported as lost.
      if (!(isSettled && now >= deadline + DEADLINE_MARGIN_MS)) continue;
      this.entries.delete(requestId);
      this.turns.delete(requestId);
      this.turnReporter.forgetTurn(requestId);
      this.rejectedEnds.delete(requestId);
      await this.dependencies.journal.deleteEntry(requestId).catch(() => undefined);
    }
  }
}

/** Returns a new id in the form of those of relayed calls, which the service makes: a UUID in 26 characters. */
function createLocalId(): string {
  const bytes = randomBytes(16);
  // The first character stands for three bits only.
  bytes[0]! &= 0x3f;
  return `req_${encodeCrockford(bytes).toLowerCase()}`;
}

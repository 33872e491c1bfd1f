import type { AgentTurnListener, UnpromptedWork } from '../agent/agent-session';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import type { Turn } from './turn';
import { TurnRun, type TurnRunDependencies } from './turn-run';
import { UnpromptedRun } from './unprompted-run';

/** Turns that wait while another one of the session runs. */
const MAX_QUEUED_TURNS = 8;

/** What a turn goes before: all others that wait. */
export interface Precedence {
  /** The running turn that ends for it: this one, any, or none. */
  ends?: Turn | 'any';
}

/**
 * Runs the turns of one session, one after the other: a second prompt would cancel the first in some agents. A turn
 * that the agent begins by itself runs beside them.
 */
export class TurnQueue {
  private readonly queuedTurns: Turn[] = [];
  private reservedCount = 0;
  private currentRun: TurnRun | undefined;
  private runLoop: Promise<void> | undefined;
  private unprompted: { run: UnpromptedRun; ended: Promise<void> } | undefined;
  private isStopping = false;
  private isClosed = false;
  private ready: Promise<unknown> = Promise.resolve();

  constructor(
    readonly session: HostedAgentSession,
    private readonly dependencies: TurnRunDependencies,
  ) {
    session.unpromptedWorkReceiver = (work) => this.beginUnpromptedTurn(work);
  }

  get isIdle(): boolean {
    return !this.currentRun && !this.unprompted && this.queuedTurns.length + this.reservedCount === 0;
  }

  /** Whether a message would wait for another one. What the agent does by itself doesn't count. */
  get isBusy(): boolean {
    return this.currentRun !== undefined || this.queuedTurns.length + this.reservedCount > 0;
  }

  /** The turn of a message that the agent works on, or is about to. */
  get runningPrompt(): TurnRun | undefined {
    return this.currentRun;
  }

  /**
   * Reserves a place for a turn that is still to be written to the journal.
   * @param isFirst whether the turn goes before the others, which one may although the queue is full
   * @returns a function that frees the place, or undefined when the queue is full
   */
  reservePlace(isFirst = false): (() => void) | undefined {
    const waitingCount = this.queuedTurns.length + this.reservedCount;
    // Without a running turn, the first of those that wait is about to run.
    const endingCount = this.currentRun && !isFirst ? 0 : 1;
    if (waitingCount >= MAX_QUEUED_TURNS + endingCount) return undefined;
    this.reservedCount++;
    return () => void this.reservedCount--;
  }

  /**
   * Runs work with the session's agent, one after the other, and delays turns until it has ended. Beside a turn, it
   * runs at once and must leave the agent alone.
   */
  runBetweenTurns<T>(work: (isTurnRunning: boolean) => Promise<T>): Promise<T> {
    if (this.currentRun) return work(true);
    const result = this.ready.then(() => work(this.currentRun !== undefined));
    this.delayTurnsUntil(result);
    return result;
  }

  /** Begins no turn until the work has ended, which begins at once. */
  async holdTurns<T>(work: () => Promise<T>): Promise<T> {
    const result = work();
    this.delayTurnsUntil(Promise.allSettled([this.ready, result]));
    return result;
  }

  /** Delays turns while another user of the session's agent holds it. */
  delayTurnsUntil(ready: Promise<unknown>): void {
    this.ready = ready.catch(() => undefined);
  }

  /**
   * Queues a turn, unless it was cancelled meanwhile. Cancels it if its session has ended.
   * @param precedence absent: it waits for the others
   */
  async enqueueTurn(turn: Turn, precedence?: Precedence): Promise<void> {
    if (this.isClosed) return this.cancelTurn(turn);
    if (turn.hasEnded) return;
    if (precedence) {
      this.queuedTurns.unshift(turn);
      const { ends } = precedence;
      const running = this.currentRun?.turn;
      // The next turn begins when this one has ended: the agent never has two prompts.
      if (running && (ends === 'any' || ends === running)) void this.cancelTurn(running).catch(() => undefined);
    } else this.queuedTurns.push(turn);
    this.startNextTurn();
  }

  /** Cancels a turn. A running one has ended when this resolves; a queued one has never run. */
  async cancelTurn(turn: Turn): Promise<void> {
    if (this.unprompted?.run.turn === turn) {
      const { run, ended } = this.unprompted;
      await run.cancelPrompt();
      return ended;
    }
    if (this.currentRun?.turn === turn) {
      const { currentRun, runLoop } = this;
      await currentRun.cancelPrompt();
      // The loop goes on with the next turn, so wait for this one only.
      await Promise.race([turn.waitForEnd(), runLoop]);
      return;
    }
    this.removeQueuedTurn(turn);
    await turn.changeState({ state: 'cancelled', stopReason: 'cancelled', endedAt: this.dependencies.clock.now() });
  }

  /** Cancels a turn only while it has not been prompted. */
  async cancelQueuedTurn(turn: Turn): Promise<void> {
    if (turn.state === 'queued') await this.cancelTurn(turn);
  }

  /** Cancels all turns, also those that are still to be queued, because the session ends. */
  async cancelAllTurns(): Promise<void> {
    this.isClosed = true;
    const turns = [...this.queuedTurns.splice(0), ...this.runningTurns];
    await Promise.allSettled(turns.map((turn) => this.cancelTurn(turn)));
  }

  /** Starts no more turns. Queued ones stay in the journal for the next start. */
  stopStarting(): void {
    this.isStopping = true;
    this.currentRun?.stopWaiting();
    this.unprompted?.run.stopWaiting();
  }

  /** Resolves when no turn runs. */
  async waitUntilStopped(): Promise<void> {
    await this.runLoop;
    await this.unprompted?.ended;
  }

  private get runningTurns(): Turn[] {
    return [this.currentRun, this.unprompted?.run].flatMap((run) => (run ? [run.turn] : []));
  }

  /** Returns the listener of a new turn, or undefined where the service doesn't know turns of this kind. */
  private beginUnpromptedTurn(work: UnpromptedWork): AgentTurnListener | undefined {
    const { capabilities, store, onProblem } = this.dependencies;
    if (this.isStopping || this.isClosed || !capabilities.isAccepted('session.unprompted')) return undefined;
    // The turn before may still store its changes.
    const earlier = this.unprompted?.ended;
    const run = new UnpromptedRun(store.beginAgentTurn(this.session.id), work, this.session, this.dependencies);
    const ended = run.execute().catch((error: Error) => onProblem(error.message));
    const unprompted = { run, ended: Promise.all([earlier, ended]).then(() => undefined) };
    this.unprompted = unprompted;
    void unprompted.ended.then(() => {
      if (this.unprompted === unprompted) this.unprompted = undefined;
    });
    return run.listener;
  }

  private removeQueuedTurn(turn: Turn): void {
    const index = this.queuedTurns.indexOf(turn);
    if (index >= 0) this.queuedTurns.splice(index, 1);
  }

  private startNextTurn(): void {
    this.runLoop ??= this.runTurns();
  }

  /** Somebody else may have got the agent in the meantime. */
  private async waitUntilReady(): Promise<void> {
    for (let ready: unknown; ready !== this.ready;) {
      ready = this.ready;
      await ready;
    }
  }

  private async runTurns(): Promise<void> {
    await this.waitUntilReady();
    for (let turn; !this.isStopping && (turn = this.queuedTurns.shift());) {
      this.currentRun = new TurnRun(turn, this.session, this.dependencies);
      // Whatever happens to this turn, the next one must run.
      await this.currentRun.execute().catch((error: Error) => this.dependencies.onProblem(error.message));
      this.currentRun = undefined;
      await this.waitUntilReady();
    }
    // In the same synchronous step as the check of the queue, so that a later turn starts a new run.
    this.runLoop = undefined;
  }
}

import { CommandError } from '../exec/command-error';

/** Places of the agents that may work at a time. Callers that wait for one get it in the order of their arrival. */
export class AgentPlaces {
  private takenCount = 0;
  private readonly waiters: (() => void)[] = [];

  constructor(readonly maxCount: number) {}

  get freeCount(): number {
    return Math.max(0, this.maxCount - this.takenCount);
  }

  /** How many places have to be given up before all who wait have one, and no more than the maximum are taken. */
  get missingCount(): number {
    return this.waiters.length + Math.max(0, this.takenCount - this.maxCount);
  }

  /** Returns the error for a caller who gets no place. */
  createBusyError(): CommandError {
    const { maxCount } = this;
    const agents = maxCount === 1 ? '1 agent' : `${maxCount} agents`;
    return new CommandError(
      'busy',
      `The machine runs at most ${agents} at a time (--max-agents), and has no free place. A place becomes free when ` +
        'a turn ends or is cancelled, when its session is ended, or when it has waited for a decision for a minute.',
    );
  }

  /** @throws the reason of `stop` when it is aborted before there is a place */
  async claimPlace(stop: AbortSignal): Promise<AgentPlace> {
    if (this.freeCount > 0) this.takenCount++;
    else await this.waitForPlace(stop);
    return new AgentPlace({ take: () => void this.takenCount++, giveBack: () => this.giveBack() });
  }

  private giveBack(): void {
    this.takenCount--;
    if (this.freeCount > 0) this.waiters.shift()?.();
  }

  private waitForPlace(stop: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        stop.removeEventListener('abort', leaveQueue);
        this.takenCount++;
        resolve();
      };
      const leaveQueue = (): void => {
        this.waiters.splice(this.waiters.indexOf(admit), 1);
        reject(stop.reason as Error);
      };
      this.waiters.push(admit);
      stop.addEventListener('abort', leaveQueue, { once: true });
      if (stop.aborted) leaveQueue();
    });
  }
}

/** Place of one agent. It can be lent to another one while its own waits for people. */
export class AgentPlace {
  /** Whether it counts now. */
  isTaken = true;
  private isReleased = false;

  constructor(private readonly places: { take: () => void; giveBack: () => void }) {}

  /** Lets another agent have the place. */
  lend(): void {
    if (this.isTaken) this.places.giveBack();
    this.isTaken = false;
  }

  /** Takes the place again, also if it has been given away: then one more agent works for a while. */
  takeBack(): void {
    if (this.isTaken || this.isReleased) return;
    this.isTaken = true;
    this.places.take();
  }

  /** Gives up the place for good. Does nothing the second time. */
  release(): void {
    this.isReleased = true;
    this.lend();
  }
}

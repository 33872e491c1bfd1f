import { Injectable } from '@nestjs/common';

/** Stage of the graceful shutdown. */
@Injectable()
export class ShutdownState {
  private stage: 'serving' | 'draining' | 'closing' = 'serving';

  private readonly drainingController = new AbortController();
  private readonly closingController = new AbortController();
  private readonly handOvers: (() => Promise<void>)[] = [];
  private readonly backgroundWork: (() => Promise<unknown>)[] = [];

  /** Aborts when the instance starts to drain. */
  get drainingSignal(): AbortSignal {
    return this.drainingController.signal;
  }

  /** Aborts when the instance starts to reject new calls. */
  get closingSignal(): AbortSignal {
    return this.closingController.signal;
  }

  /** The instance reports that it is not ready and rejects new devices, but still serves calls. */
  get isDraining(): boolean {
    return this.stage !== 'serving';
  }

  /** The instance rejects new calls as well. */
  get isClosing(): boolean {
    return this.stage === 'closing';
  }

  /** Adds work that moves clients to the other instances while this one drains. */
  addHandOver(handOver: () => Promise<void>): void {
    this.handOvers.push(handOver);
  }

  /** Resolves when all added work is done. */
  async runHandOvers(): Promise<void> {
    await Promise.all(this.handOvers.map((handOver) => handOver()));
  }

  /** Adds work in progress that no client waits for. It must not delay the hand-over. */
  addBackgroundWork(waitForEnd: () => Promise<unknown>): void {
    this.backgroundWork.push(waitForEnd);
  }

  /** Resolves when all added background work has ended. */
  async finishBackgroundWork(): Promise<void> {
    await Promise.all(this.backgroundWork.map((waitForEnd) => waitForEnd()));
  }

  startDraining(): void {
    this.stage = 'draining';
    this.drainingController.abort();
  }

  startClosing(): void {
    this.stage = 'closing';
    this.closingController.abort();
  }
}

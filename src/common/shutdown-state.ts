import { Injectable } from '@nestjs/common';

/** Stage of the graceful shutdown. */
@Injectable()
export class ShutdownState {
  private stage: 'serving' | 'draining' | 'closing' = 'serving';

  private readonly drainingController = new AbortController();

  /** Aborts when the instance starts to drain. */
  get drainingSignal(): AbortSignal {
    return this.drainingController.signal;
  }

  /** The instance reports that it is not ready and rejects new devices, but still serves calls. */
  get isDraining(): boolean {
    return this.stage !== 'serving';
  }

  /** The instance rejects new calls as well. */
  get isClosing(): boolean {
    return this.stage === 'closing';
  }

  startDraining(): void {
    this.stage = 'draining';
    this.drainingController.abort();
  }

  startClosing(): void {
    this.stage = 'closing';
  }
}

import { Injectable } from '@nestjs/common';

/** How far the process is on its way out, once it was asked to stop. */
@Injectable()
export class Draining {
  private stage: 'serving' | 'draining' | 'closing' = 'serving';

  /** It is not ready and takes no new devices; calls that reach it are served. */
  get isDraining(): boolean {
    return this.stage !== 'serving';
  }

  /** It takes no new calls either. */
  get isClosing(): boolean {
    return this.stage === 'closing';
  }

  start(): void {
    this.stage = 'draining';
  }

  close(): void {
    this.stage = 'closing';
  }
}

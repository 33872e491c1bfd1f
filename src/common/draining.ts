import { Injectable } from '@nestjs/common';

/** Set once, when the process was asked to stop: it finishes what it has and takes nothing new. */
@Injectable()
export class Draining {
  private started = false;

  get isDraining(): boolean {
    return this.started;
  }

  start(): void {
    this.started = true;
  }
}

import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from '../../core/config';

const MAX_CHECK_INTERVAL_MS = 30 * SECOND;
/** Time that devices get to reconnect after the service itself was away. */
const MAX_RECONNECT_MS = 2 * MINUTE;
const BATCH_SIZE = 100;

/** A kind of record that is lost when its device has been away for too long. */
export interface LosableRecords<Key> {
  /** As in "turn loss", the name of the task. */
  name: string;
  /** Returns open records whose device has been away since `cutoff`. */
  findAbandoned: (cutoff: Date, limit: number) => Promise<Key[]>;
  /** Records a loss, unless the record is no longer abandoned: the device may have reported or connected meanwhile. */
  recordLoss: (key: Key, cutoff: Date) => Promise<void>;
}

/** Records what devices leave open that have been away for too long. Every instance runs it. */
@Injectable()
export class DeviceLossService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly lostAfterMs: number;
  private readonly tasks: PeriodicTask[] = [];
  private startedAtMs = Infinity;

  constructor(
    { turnLostAfterSeconds }: Config,
    private readonly shutdownState: ShutdownState,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
  ) {
    this.lostAfterMs = turnLostAfterSeconds * SECOND;
  }

  /** Registers a kind of record. Called by the module that owns it, before the application has started. */
  registerRecords<Key>(records: LosableRecords<Key>): void {
    const intervalMs = Math.min(MAX_CHECK_INTERVAL_MS, this.lostAfterMs / 4);
    this.tasks.push(new PeriodicTask(records.name, intervalMs, () => this.recordLosses(records)));
  }

  onApplicationBootstrap(): void {
    this.startedAtMs = this.clock.monotonicMs();
    for (const task of this.tasks) task.start();
  }

  /** Not earlier: a run must not delay the start of draining. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Returns true when more records may be due. */
  private async recordLosses<Key>({ findAbandoned, recordLoss }: LosableRecords<Key>): Promise<boolean> {
    // Devices can't report what they have done.
    if (this.readOnlyState.isReadOnly) return false;
    if (this.clock.monotonicMs() - this.startedAtMs < Math.min(MAX_RECONNECT_MS, this.lostAfterMs)) return false;
    const keys = await findAbandoned(this.getCutoff(), BATCH_SIZE);
    const errors: Error[] = [];
    for (const key of keys) {
      if (this.shutdownState.isClosing) return false;
      // Every run finds a record that can't be written again. It must not hold up those after it.
      await recordLoss(key, this.getCutoff()).catch((error: Error) => errors.push(error));
    }
    if (errors[0]) throw errors[0];
    return keys.length === BATCH_SIZE;
  }

  private getCutoff(): Date {
    return new Date(this.clock.now() - this.lostAfterMs);
  }
}

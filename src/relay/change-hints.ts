import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Changes, type ChangeHint } from '../events';
import { RelayBus } from './bus/relay-bus';

/** Tells an account's other devices that there is something to sync (device-api.md, Socket). */
@Injectable()
export class ChangeHints implements OnApplicationBootstrap {
  private readonly logger = new Logger('ChangeHints');

  constructor(
    private readonly changes: Changes,
    private readonly bus: RelayBus,
  ) {}

  onApplicationBootstrap(): void {
    this.changes.committed.subscribe((change) => {
      this.tell(change).catch((error: Error) => {
        this.logger.warn({ reason: error.message }, 'a change hint was not sent');
      });
    });
  }

  private tell({ type, id, seq, accountId, byDeviceId }: ChangeHint): Promise<void> {
    return this.bus.hint(accountId, { type, id, ...(seq !== undefined && { seq }) }, byDeviceId);
  }
}

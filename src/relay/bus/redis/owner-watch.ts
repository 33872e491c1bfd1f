import { Logger } from '@nestjs/common';
import type { OutgoingCall } from './outgoing-call';
import type { RedisLink } from './redis-link';
import { SILENCE_MS } from './shared-presence';

const TICK_MS = 250;
const SUSPECT_AFTER_MS = 500;
/** Owners that live are heard twice a second, also while their own subscription is being renewed. */
const SILENT_AFTER_MS = 800;

/** Gives up calls whose owner is dead, or says nothing any more (relay.md, Routing between instances). */
export class OwnerWatch {
  private readonly logger = new Logger('RelayBus');
  private timer: NodeJS.Timeout | undefined;
  private lastTick = performance.now();
  /** Found dead once; a subscription that is just being renewed looks the same. */
  private suspects = new Set<string>();

  constructor(
    private readonly link: RedisLink,
    private readonly open: ReadonlyMap<string, OutgoingCall>,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = performance.now();
    const stalledMs = now - this.lastTick - TICK_MS;
    this.lastTick = now;
    for (const call of this.open.values()) {
      // What this process could not hear while it stood still is no silence of the owner.
      if (stalledMs > TICK_MS) call.heardAt += stalledMs;
      if (now - call.heardAt > SILENCE_MS) call.lose('device_disconnected');
    }
    this.checkOwners(now).catch((error: Error) => {
      this.logger.debug({ reason: error.message }, 'owners were not checked');
    });
  }

  private async checkOwners(now: number): Promise<void> {
    const old = [...this.open.values()].filter((call) => now - call.sentAt > SUSPECT_AFTER_MS);
    const owners = [...new Set(old.flatMap(({ owner }) => owner ?? []))];
    if (owners.length === 0 || !this.link.isUp) return this.suspects.clear();
    const alive = await this.link.guard(() => this.link.commands.relayAlive(...owners));
    const dead = new Set(owners.filter((_, i) => alive[i] === 0));
    for (const call of this.open.values()) {
      const { owner, heardAt } = call;
      const isSilent = performance.now() - heardAt > SILENT_AFTER_MS;
      if (owner && dead.has(owner) && this.suspects.has(owner) && isSilent) call.lose('device_disconnected');
    }
    this.suspects = dead;
  }
}

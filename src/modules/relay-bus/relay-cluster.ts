import { Subject } from 'rxjs';
import type { StaleDevicePresence } from './device-presence';
import type { RelayCall } from './relay-call';

/** A call whose origin died while it ran on this instance. */
export type OrphanedCall = Pick<RelayCall, 'accountId' | 'request' | 'audit'> & { deviceId: string };

/**
 * Port to the other instances, which devices of this instance can reconnect to. Its token resolves to null in a single
 * process, so inject it as `@Inject(RelayCluster) cluster: RelayCluster | null`.
 */
export abstract class RelayCluster {
  /** Emits calls without a key whose origin died, after their devices got a cancellation. */
  readonly orphanedCalls = new Subject<OrphanedCall>();

  /** Publishes the presence of all connections of this instance again, in the background. */
  abstract republishPresence(): void;
  /** Removes the presence of connections of dead instances, unless the instance turns out to be alive. */
  abstract removePresence(connections: readonly StaleDevicePresence[]): Promise<void>;
  /** Announces the shutdown of this instance to the other instances. */
  abstract announceShutdown(): Promise<void>;
}

import { Test } from '@nestjs/testing';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from '../../core/config';
import { RelayBus, RelayCluster } from '../relay-bus';
import { PresenceRecorder } from './presence/presence-recorder';
import { SyncNotificationPublisher } from './presence/sync-notification-publisher';
import { GracefulShutdownService } from './graceful-shutdown.service';

/** Creates the service of an instance without devices and calls. */
async function createService(shutdownNoticeSeconds: number, cluster: object | null) {
  const moduleRef = await Test.createTestingModule({
    providers: [
      GracefulShutdownService,
      ShutdownState,
      { provide: Config, useValue: { shutdownNoticeSeconds } },
      { provide: RelayBus, useValue: { connectionCount: 0, pendingCallCount: 0, listConnections: () => [] } },
      { provide: RelayCluster, useValue: cluster },
      { provide: PresenceRecorder, useValue: { flushWrites: () => Promise.resolve() } },
      { provide: SyncNotificationPublisher, useValue: { publishGathered: () => undefined } },
    ],
  }).compile();
  return { service: moduleRef.get(GracefulShutdownService), state: moduleRef.get(ShutdownState) };
}

describe('GracefulShutdownService', () => {
  const cluster = { announceShutdown: () => Promise.resolve() };

  /** Returns the time from SIGTERM until the instance refuses calls, in ms. */
  async function measureNotice(notice: number, ofCluster: object | null): Promise<number> {
    const { service, state } = await createService(notice, ofCluster);
    const startedAt = performance.now();
    let closedAt = NaN;
    state.closingSignal.addEventListener('abort', () => (closedAt = performance.now()));
    const stopped = service.beforeApplicationShutdown('SIGTERM');
    expect(state.isDraining).toBe(true);
    await stopped;
    return closedAt - startedAt;
  }

  it('serves calls for the time of the notice before it refuses them', async () => {
    const duration = await measureNotice(1, cluster);
    expect(duration).toBeGreaterThan(990);
    expect(duration).toBeLessThan(2_000);
  });

  it('refuses calls at once without a notice, or without other instances', async () => {
    expect(await measureNotice(0, cluster)).toBeLessThan(500);
    expect(await measureNotice(30, null)).toBeLessThan(500);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { Test } from '@nestjs/testing';
import { ShutdownState } from '../../common/shutdown-state';
import { Config } from '../../core/config';
import { RelayBus, RelayCluster } from '../relay-bus';
import { PresenceRecorder } from './presence/presence-recorder';
import { SyncNotificationPublisher } from './presence/sync-notification-publisher';
import { GracefulShutdownService } from './graceful-shutdown.service';

/** Creates the service of an instance without devices, and by default without calls. */
async function createService(shutdownNoticeSeconds: number, cluster: object | null, pendingCallCount = 0) {
  const moduleRef = await Test.createTestingModule({
    providers: [
      GracefulShutdownService,
      ShutdownState,
      { provide: Config, useValue: { shutdownNoticeSeconds } },
      { provide: RelayBus, useValue: { connectionCount: 0, pendingCallCount, listConnections: () => [] } },
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
    service.onModuleDestroy();
    expect(state.isDraining).toBe(true);
    const startedAt = performance.now();
    let closedAt = NaN;
    state.closingSignal.addEventListener('abort', () => (closedAt = performance.now()));
    await service.beforeApplicationShutdown('SIGTERM');
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

  it('hands over its devices before background work has ended, and refuses calls only then', async () => {
    let announce!: () => void;
    const announced = new Promise<void>((resolve) => (announce = resolve));
    const announceShutdown = () => Promise.resolve(announce());
    const { service, state } = await createService(0, { announceShutdown });
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    state.addBackgroundWork(() => finished);
    service.onModuleDestroy();
    const shutdown = service.beforeApplicationShutdown('SIGTERM');
    await announced;
    await sleep(50);
    expect(state.isClosing).toBe(false);
    finish();
    await shutdown;
    expect(state.isClosing).toBe(true);
  });

  it('stops waiting for background work within a minute of the signal', async () => {
    const { service, state } = await createService(0, null);
    state.addBackgroundWork(() => new Promise(() => undefined));
    service.onModuleDestroy();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 50_000);
    // It always waits for a second.
    await service.beforeApplicationShutdown('SIGTERM');
    clock.mockRestore();
    expect(state.isClosing).toBe(true);
  });

  it('stops waiting for calls within a minute of the signal, however long other modules have waited', async () => {
    const { service } = await createService(0, null, 1);
    let now = 0;
    // A second passes whenever somebody looks.
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
    service.onModuleDestroy();
    now += 20_000;
    await service.beforeApplicationShutdown('SIGTERM');
    clock.mockRestore();
    expect(now).toBeGreaterThan(45_000);
    expect(now).toBeLessThan(60_000);
  });
});

import { HealthController } from './health.controller';
import type { ReadinessResult, ReadinessService } from './readiness.service';

describe('the readiness of an instance', () => {
  const asked: boolean[] = [];
  const createController = (result: ReadinessResult) =>
    new HealthController({
      checkReadiness: (requiresRedis: boolean) => {
        asked.push(requiresRedis);
        return Promise.resolve(result);
      },
    } as unknown as ReadinessService);
  const UP = { status: 'up' } as const;
  const DOWN = { status: 'down' } as const;

  it('names what is down, and when to ask again', async () => {
    const details = { database: DOWN, redis: UP, draining: DOWN };
    await expect(createController({ isReady: false, details }).getReadiness()).rejects.toMatchObject({
      code: 'service_unavailable',
      detail: 'Not ready: database, draining.',
      extras: { members: { outcome: 'not_delivered' }, headers: { 'Retry-After': '5' } },
    });
  });

  it('requires Redis only if the caller asks for it', async () => {
    const controller = createController({ isReady: true, details: { redis: UP } });
    asked.length = 0;
    for (const header of [undefined, 'true', 'false']) await controller.getReadiness(header);
    expect(asked).toEqual([false, true, false]);
  });
});

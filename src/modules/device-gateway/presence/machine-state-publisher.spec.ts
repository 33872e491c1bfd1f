import type { Clock } from '../../../common/clock';
import type { UnitOfWork } from '../../../core/database';
import type { MachinesService } from '../../machines';
import { MachineStatePublisher } from './machine-state-publisher';
import type { PresenceRepository } from './presence.repository';

describe('the publisher of machine states', () => {
  let claims: { before: Date; limit: number }[];
  /** Devices of the next claims. */
  let due: string[][];
  let published: string[];
  let publisher: MachineStatePublisher;

  beforeEach(() => {
    jest.useFakeTimers();
    [claims, due, published] = [[], [], []];
    const claimStateChanges = (before: Date, limit: number) => {
      claims.push({ before, limit });
      return Promise.resolve(due.shift() ?? []);
    };
    const publishStates = (deviceIds: string[]) => Promise.resolve(void published.push(...deviceIds));
    publisher = new MachineStatePublisher(
      { runInTransaction: (work: () => unknown) => work() } as unknown as UnitOfWork,
      { claimStateChanges } as unknown as PresenceRepository,
      { publishStates } as unknown as MachinesService,
      { now: () => Date.now() } as Clock,
    );
    publisher.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await publisher.onModuleDestroy();
  });

  it('publishes states that have lasted for five seconds', async () => {
    due = [['dev_1', 'dev_2']];
    await jest.advanceTimersByTimeAsync(5_000);
    expect(published).toEqual(['dev_1', 'dev_2']);
    const { before } = claims.at(-1)!;
    expect(Date.now() - before.getTime()).toBeGreaterThanOrEqual(5_000);
    expect(Date.now() - before.getTime()).toBeLessThan(10_000);
  });

  it('publishes more than one batch at once', async () => {
    due = [Array.from({ length: 100 }, (_, n) => `dev_${n}`), ['dev_100']];
    await jest.advanceTimersByTimeAsync(2_000);
    expect(published).toHaveLength(101);
  });
});

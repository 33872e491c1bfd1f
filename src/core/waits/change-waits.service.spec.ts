import { Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { ShutdownState } from '../../common/shutdown-state';
import type { ChangeSignals } from '../redis';
import { ChangeWaitRegistry, type RecordProgress, type WaitedRecords } from './change-wait-registry';
import { ChangeWaitsService } from './change-waits.service';

const settle = () => jest.advanceTimersByTimeAsync(1);

describe('waits for changes', () => {
  let progress: Map<string, RecordProgress>;
  let keys: Subject<string>;
  let shutdownState: ShutdownState;
  let registry: ChangeWaitRegistry;
  let records: WaitedRecords;
  let service: ChangeWaitsService;

  beforeEach(() => {
    jest.useFakeTimers();
    progress = new Map([['turn_1', { state: 'running', version: 1 }]]);
    [keys, shutdownState, registry] = [new Subject(), new ShutdownState(), new ChangeWaitRegistry(new Registry())];
    records = {
      metric: { name: 'test_waits', help: 'x' },
      readProgress: () => Promise.resolve(new Map(progress)),
      isAnswerDue: ({ version }, afterVersion) => version > afterVersion!,
    };
    service = new ChangeWaitsService(registry, { changedKeys: keys } as unknown as ChangeSignals, shutdownState);
    service.registerRecords(records);
    service.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await service.onApplicationShutdown();
  });

  /** Waits for a version above 1. */
  const wait = (waitMs = 60_000, accountId = 'acc_1', signal = new AbortController().signal) => {
    const result = { hasEnded: false };
    void service
      .waitForChange({ accountId, records, key: 'turn_1', afterVersion: 1, waitMs }, signal)
      .then(() => (result.hasEnded = true));
    return result;
  };
  const change = () => progress.set('turn_1', { state: 'completed', version: 2 });

  it('end with the change that a signal announces, and not with other signals', async () => {
    const waiting = wait();
    await settle();
    keys.next('turn_1');
    await settle();
    expect(waiting.hasEnded).toBe(false);
    change();
    keys.next('turn_2');
    await settle();
    expect(waiting.hasEnded).toBe(false);
    keys.next('turn_1');
    await settle();
    expect(waiting.hasEnded).toBe(true);
  });

  it('end with a change that committed before they began', async () => {
    change();
    const waiting = wait();
    await settle();
    expect(waiting.hasEnded).toBe(true);
  });

  it('end within two seconds after a change whose signal was lost', async () => {
    const waiting = wait();
    await settle();
    change();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(waiting.hasEnded).toBe(true);
  });

  it('end with the deletion of the record, and when the time is over', async () => {
    const [deleted, timed] = [wait(), wait(5_000)];
    await jest.advanceTimersByTimeAsync(4_990);
    expect(timed.hasEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(10);
    expect([deleted.hasEnded, timed.hasEnded]).toEqual([false, true]);
    progress.clear();
    keys.next('turn_1');
    await settle();
    expect(deleted.hasEnded).toBe(true);
  });

  it('are at most 200 of an account, and a caller that has gone makes room', async () => {
    const controller = new AbortController();
    wait(60_000, 'acc_1', controller.signal);
    for (let n = 1; n < 200; n++) wait();
    const tooMany = expect.objectContaining({ code: 'too_many_waits' }) as Error;
    const options = { accountId: 'acc_1', records, key: 'turn_1', afterVersion: 1, waitMs: 1 };
    await expect(service.waitForChange(options, new AbortController().signal)).rejects.toEqual(tooMany);
    const other = wait(60_000, 'acc_2');
    controller.abort();
    await settle();
    expect(wait().hasEnded).toBe(false);
    await expect(service.waitForChange(options, new AbortController().signal)).rejects.toEqual(tooMany);
    expect(other.hasEnded).toBe(false);
  });

  it('of all kinds of records are at most 200 of an account, and 5,000 of the instance', () => {
    const others = { ...records, metric: { name: 'other_waits', help: 'x' } };
    service.registerRecords(others);
    const add = (accountId: string, ofRecords = records) =>
      registry.addWait({ accountId, records: ofRecords, key: 'turn_1', afterVersion: 1, end: () => undefined });
    const tooMany = expect.objectContaining({ code: 'too_many_waits' }) as Error;
    for (let n = 0; n < 200; n++) add('acc_0', n % 2 === 0 ? records : others);
    for (const kind of [records, others]) expect(() => add('acc_0', kind)).toThrow(tooMany);
    for (let n = 200; n < 5_000; n++) add(`acc_${Math.floor(n / 200)}`);
    expect(() => add('acc_25')).toThrow(tooMany);
  });

  it('end when the instance begins to drain, and take at most a second from then on', async () => {
    const waiting = wait();
    await settle();
    shutdownState.startDraining();
    await settle();
    expect(waiting.hasEnded).toBe(true);
    const later = wait();
    await jest.advanceTimersByTimeAsync(990);
    expect(later.hasEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(10);
    expect(later.hasEnded).toBe(true);
  });
});

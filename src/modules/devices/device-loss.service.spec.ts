import { Logger } from '@nestjs/common';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { ReadOnlyState } from '../../common/read-only-state';
import { ShutdownState } from '../../common/shutdown-state';
import type { Config } from '../../core/config';
import { DeviceLossService } from './device-loss.service';

const LOST_AFTER_SECONDS = 900;

describe('the loss of what devices leave open', () => {
  let abandoned: string[];
  let cutoffs: Date[];
  let lost: string[];
  let readOnlyState: ReadOnlyState;
  let shutdownState: ShutdownState;
  let service: DeviceLossService;

  // Expected failures would clutter the output of the tests.
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  beforeEach(() => {
    jest.useFakeTimers();
    [abandoned, cutoffs, lost] = [[], [], []];
    [readOnlyState, shutdownState] = [new ReadOnlyState(), new ShutdownState()];
    const config = { turnLostAfterSeconds: LOST_AFTER_SECONDS } as Config;
    service = new DeviceLossService(config, shutdownState, new Clock(), readOnlyState);
    service.registerRecords({
      name: 'test loss',
      findAbandoned: (cutoff, limit) => {
        cutoffs.push(cutoff);
        return Promise.resolve(abandoned.splice(0, limit));
      },
      recordLoss: (key) =>
        key === 'turn_refused'
          ? Promise.reject(new Error('the database refuses it'))
          : Promise.resolve(void lost.push(key)),
    });
    service.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await service.onApplicationShutdown();
  });

  it('is recorded within 30 s after the time, from two minutes after the start', async () => {
    abandoned = ['turn_1'];
    await jest.advanceTimersByTimeAsync(2 * MINUTE - SECOND);
    expect(lost).toEqual([]);
    await jest.advanceTimersByTimeAsync(31 * SECOND);
    expect(lost).toEqual(['turn_1']);
    abandoned = ['turn_2'];
    await jest.advanceTimersByTimeAsync(30 * SECOND);
    expect(lost).toEqual(['turn_1', 'turn_2']);
  });

  it('counts from the time that the operator has set', async () => {
    await jest.advanceTimersByTimeAsync(3 * MINUTE);
    const elapsedMs = Date.now() - cutoffs.at(-1)!.getTime();
    expect(elapsedMs).toBeGreaterThanOrEqual(LOST_AFTER_SECONDS * SECOND);
    expect(elapsedMs).toBeLessThanOrEqual((LOST_AFTER_SECONDS + 30) * SECOND);
  });

  it('of more than one batch is recorded at once', async () => {
    abandoned = Array.from({ length: 250 }, (_, n) => `turn_${n}`);
    await jest.advanceTimersByTimeAsync(2 * MINUTE + 30 * SECOND);
    expect(lost).toHaveLength(250);
  });

  it('is recorded for the records after one that can’t be written', async () => {
    abandoned = ['turn_1', 'turn_refused', 'turn_2'];
    await jest.advanceTimersByTimeAsync(2 * MINUTE + 30 * SECOND);
    expect(lost).toEqual(['turn_1', 'turn_2']);
  });

  it('is not recorded in read-only mode, in which devices can’t report', async () => {
    readOnlyState.isReadOnly = true;
    abandoned = ['turn_1'];
    await jest.advanceTimersByTimeAsync(10 * MINUTE);
    expect(lost).toEqual([]);
    readOnlyState.isReadOnly = false;
    await jest.advanceTimersByTimeAsync(30 * SECOND);
    expect(lost).toEqual(['turn_1']);
  });

  it('is left to other instances when this one closes', async () => {
    await jest.advanceTimersByTimeAsync(2 * MINUTE);
    shutdownState.startClosing();
    abandoned = ['turn_1'];
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(lost).toEqual([]);
  });
});

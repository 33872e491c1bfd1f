import { Logger } from '@nestjs/common';
import type { DeviceAnswer } from '../device-answer';
import type { RelayCall } from '../relay-call';
import type { BusMetrics } from './bus-metrics';
import type { OutcomeHead, EnvelopeStamp } from './envelope';
import { OutgoingCallDispatcher } from './outgoing-call-dispatcher';
import type { RedisConnection } from './redis-connection';
import type { SharedPresenceStore } from './shared-presence-store';

const ANSWER_BODY = '{"kind":"result","result":{"n":1},"bytes":7}';
const outcomeHead = (attempt = 1) =>
  ({ type: 'answer', callId: 'req_1', attempt, kind: 'answered', deviceMs: 1 }) as OutcomeHead & EnvelopeStamp;
const refusalHead = (reason: string, from = 'ins_1') =>
  ({ type: 'answer', callId: 'req_1', attempt: 1, kind: 'refused', reason, from }) as OutcomeHead & EnvelopeStamp;
const errorNamed = (name: string, message: string) => Object.assign(new Error(message), { name });

describe('OutgoingCallDispatcher', () => {
  const duplicates = { inc: jest.fn() };
  let routeCall: () => Promise<unknown[]>;
  let lateAnswers: DeviceAnswer[];
  let relayCall: RelayCall;
  let calls: OutgoingCallDispatcher;

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    duplicates.inc.mockClear();
    routeCall = () => Promise.resolve(['sent', 0, 'dev_1', 'ins_1']);
    lateAnswers = [];
    relayCall = {
      request: { requestId: 'req_1' },
      answerTimeoutMs: 30_000,
      onLateAnswer: (answer: DeviceAnswer) => lateAnswers.push(answer),
    } as unknown as RelayCall;
    calls = new OutgoingCallDispatcher(
      {} as RedisConnection,
      { routeCall: () => routeCall() } as unknown as SharedPresenceStore,
      { duplicateAnswers: duplicates, prunedEntries: { inc: jest.fn() } } as unknown as BusMetrics,
    );
  });
  afterEach(() => {
    calls.stop();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it.each([
    ['no_online_device if no candidate is online', ['offline', 0], 'no_online_device'],
    ['relay_unavailable for any other reply', ['unheard', 0], 'relay_unavailable'],
  ])('is refused with %s', async (_name, reply, reason) => {
    routeCall = () => Promise.resolve(reply);
    expect(await calls.sendCall(relayCall, 1)).toEqual({ kind: 'not_delivered', reason, deviceId: null });
  });

  it.each([
    ['Redis rejected the command', errorNamed('ReplyError', 'NOSCRIPT')],
    ['the command was never written', new Error("Stream isn't writeable and enableOfflineQueue options is false")],
  ])('knows that nothing was sent if %s', async (_name, error) => {
    routeCall = () => Promise.reject(error);
    expect(await calls.sendCall(relayCall, 1)).toMatchObject({ kind: 'not_delivered', reason: 'relay_unavailable' });
  });

  it('waits for the answer if the connection broke after the call may have been sent', async () => {
    routeCall = () => Promise.reject(new Error('Connection is closed.'));
    const result = calls.sendCall(relayCall, 1);
    await jest.advanceTimersByTimeAsync(29_999);
    calls.handleAnswer(outcomeHead(), ANSWER_BODY);
    expect(await result).toMatchObject({ kind: 'answered', answer: { result: { n: 1 } } });
  });

  it('has an unknown outcome if the connection broke and no answer arrives', async () => {
    routeCall = () => Promise.reject(new Error('Connection is closed.'));
    const result = calls.sendCall(relayCall, 1);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await result).toMatchObject({ kind: 'unknown', reason: 'timeout' });
  });

  it('may be routed again if the device has left its owner', async () => {
    const result = calls.sendCall(relayCall, 1);
    calls.handleAnswer(refusalHead('gone'), '');
    expect(await result).toBeNull();
  });

  it('reports the refusal of its owner with the device', async () => {
    const result = calls.sendCall(relayCall, 1);
    calls.handleAnswer(refusalHead('device_busy'), '');
    expect(await result).toEqual({ kind: 'not_delivered', reason: 'device_busy', deviceId: 'dev_1' });
  });

  it('ignores refusals of other instances and answers to other attempts', async () => {
    const result = calls.sendCall(relayCall, 2);
    calls.handleAnswer(outcomeHead(1), '{"kind":"result","result":{"n":0},"bytes":7}');
    calls.handleAnswer({ ...refusalHead('gone', 'ins_2'), attempt: 2 }, '');
    calls.handleAnswer(outcomeHead(2), ANSWER_BODY);
    expect(await result).toMatchObject({ kind: 'answered', deviceId: 'dev_1', answer: { result: { n: 1 } } });
    expect(duplicates.inc).toHaveBeenCalledTimes(1);
  });

  it('counts a second answer in the same packet and keeps the first', async () => {
    const result = calls.sendCall(relayCall, 1);
    calls.handleAnswer(outcomeHead(), ANSWER_BODY);
    calls.handleAnswer(outcomeHead(), '{"kind":"result","result":{"n":2},"bytes":7}');
    expect(duplicates.inc).toHaveBeenCalledTimes(1);
    expect(await result).toMatchObject({ answer: { result: { n: 1 } } });
  });

  describe('an answer after the timeout', () => {
    beforeEach(async () => {
      const result = calls.sendCall(relayCall, 1);
      await jest.advanceTimersByTimeAsync(30_000);
      await result;
    });

    it('is reported once', () => {
      calls.handleAnswer(outcomeHead(), ANSWER_BODY);
      calls.handleAnswer(outcomeHead(), ANSWER_BODY);
      expect(lateAnswers).toEqual([{ kind: 'result', result: { n: 1 }, bytes: 7 }]);
      expect(duplicates.inc).toHaveBeenCalledTimes(1);
    });

    it.each([
      { waitMs: 5 * 60_000 - 1, reported: 1 },
      { waitMs: 5 * 60_000, reported: 0 },
    ])('is reported for less than five minutes: $reported after $waitMs ms', async ({ waitMs, reported }) => {
      await jest.advanceTimersByTimeAsync(waitMs);
      calls.handleAnswer(outcomeHead(), ANSWER_BODY);
      expect(lateAnswers).toHaveLength(reported);
    });
  });
});

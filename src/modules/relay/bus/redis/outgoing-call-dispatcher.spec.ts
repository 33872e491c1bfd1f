import type { RelayCall } from '../relay-call';
import type { BusMetrics } from './bus-metrics';
import type { AnswerHead, EnvelopeStamp } from './envelope';
import { OutgoingCallDispatcher } from './outgoing-call-dispatcher';
import type { RedisConnection } from './redis-connection';
import type { SharedPresenceStore } from './shared-presence-store';

const RELAY_CALL = { request: { requestId: 'req_1' }, answerTimeoutMs: 60_000 } as RelayCall;
const ANSWER_HEAD = {
  type: 'answer',
  callId: 'req_1',
  attempt: 1,
  kind: 'answered',
  deviceMs: 1,
} as AnswerHead & EnvelopeStamp;

describe('outgoing calls', () => {
  const duplicates = { inc: jest.fn() };
  const calls = new OutgoingCallDispatcher(
    {} as RedisConnection,
    { routeCall: () => Promise.resolve(['sent', 0, 'dev_1', 'ins_1']) } as unknown as SharedPresenceStore,
    { duplicateAnswers: duplicates, prunedEntries: { inc: jest.fn() } } as unknown as BusMetrics,
  );

  it('count an answer that comes twice in one packet', async () => {
    const result = calls.sendCall(RELAY_CALL, 1);
    calls.handleAnswer(ANSWER_HEAD, '{"ok":true,"result":{"n":1}}');
    calls.handleAnswer(ANSWER_HEAD, '{"ok":true,"result":{"n":2}}');
    expect(duplicates.inc).toHaveBeenCalledTimes(1);
    expect(await result).toMatchObject({ answer: { result: { n: 1 } } });
  });
});

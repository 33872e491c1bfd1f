import type { CallOutcome } from '../relay-call';
import { OutgoingCall } from './outgoing-call';

const BUSY: CallOutcome = { kind: 'not_delivered', reason: 'device_busy', deviceId: null };

describe('OutgoingCall', () => {
  let call: OutgoingCall;
  beforeEach(() => {
    jest.useFakeTimers();
    call = new OutgoingCall(30_000, 1);
  });
  afterEach(() => jest.useRealTimers());

  it.each([
    ['a refusal', BUSY],
    ['null, which lets it be routed again,', null],
  ])('ends with %s of its owner', async (_name, refusal) => {
    call.assignOwner('ins_owner', 'dev_1');
    call.recordRefusal('ins_owner', refusal);
    expect(call.isCompleted).toBe(true);
    expect(await call.completion).toBe(refusal);
  });

  it.each([
    ['a refusal', BUSY],
    ['null', null],
  ])('is not ended by %s of another instance', (_name, refusal) => {
    call.assignOwner('ins_owner', 'dev_1');
    call.recordRefusal('ins_other', refusal);
    expect(call.isCompleted).toBe(false);
  });

  it('believes a refusal that arrives before the owner is known, once it turns out to be of the owner', async () => {
    call.recordRefusal('ins_owner', null);
    call.recordRefusal('ins_other', BUSY);
    expect(call.isCompleted).toBe(false);
    call.assignOwner('ins_owner', 'dev_1');
    expect(await call.completion).toBeNull();
  });

  it('has an unknown outcome at its timeout, and none a millisecond before', async () => {
    jest.advanceTimersByTime(29_999);
    expect(call.isCompleted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await call.completion).toMatchObject({ kind: 'unknown', reason: 'timeout', deviceMs: 30_000 });
  });

  it('keeps its first result', async () => {
    call.completeCall(BUSY);
    call.failCall('device_disconnected');
    expect(await call.completion).toBe(BUSY);
    expect(jest.getTimerCount()).toBe(0);
  });
});

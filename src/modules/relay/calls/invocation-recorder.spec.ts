import { Logger } from '@nestjs/common';
import type { InvocationDto, InvocationStartsService } from '../../invocations';
import type { DeviceAnswer } from '../bus/device-answer';
import { deviceReportedError, notDeliveredError, timeoutError } from '../relay.errors';
import type { CallResponse } from './call-reply';
import { InvocationRecorder, toStartedInvocation } from './invocation-recorder';
import type { UnsentRequest } from './relay-request';

const INVOCATION = { requestId: 'req_1', accountId: 'acc_1', machineId: 'mch_1' };
const STARTED: DeviceAnswer = { kind: 'result', result: { state: 'running' }, bytes: 19 };
const refused = (code: string): DeviceAnswer => ({ kind: 'error', error: { code, message: 'm' } });
const RECORD = { id: 'inv_1' } as InvocationDto;

describe('InvocationRecorder', () => {
  const starts = {
    createInvocation: jest.fn(() => Promise.resolve()),
    discardInvocation: jest.fn(() => Promise.resolve()),
    recordRefusal: jest.fn(() => Promise.resolve()),
    recordStart: jest.fn<Promise<InvocationDto | undefined>, unknown[]>(() => Promise.resolve(RECORD)),
  };
  const recorder = new InvocationRecorder(starts as unknown as InvocationStartsService);
  const countCalls = () =>
    Object.fromEntries(Object.entries(starts).map(([name, { mock }]) => [name, mock.calls.length]));
  const NONE = { createInvocation: 0, discardInvocation: 0, recordRefusal: 0, recordStart: 0 };
  const SENT: CallResponse = { status: 200, body: { requestId: 'req_1', result: STARTED.result } };

  beforeEach(() => jest.clearAllMocks());
  afterEach(() => jest.restoreAllMocks());

  it('concerns the calls that start an invocation', () => {
    const start = { method: 'invocation.start', requestId: 'req_1', machineId: 'mch_1' } as UnsentRequest;
    expect(toStartedInvocation('acc_1', start)).toEqual(INVOCATION);
    expect(toStartedInvocation('acc_1', { ...start, method: 'invocation.cancel' } as UnsentRequest)).toBeNull();
  });

  it.each(['no_online_device', 'device_busy', 'relay_unavailable'] as const)(
    'deletes an invocation that was not delivered: %s',
    async (reason) => {
      const response = notDeliveredError(reason);
      const result = { kind: 'not_delivered', reason, deviceId: null } as const;
      expect(await recorder.recordResult(INVOCATION, result, response)).toBe(response);
      expect(countCalls()).toEqual({ ...NONE, discardInvocation: 1 });
    },
  );

  it('deletes one that the device was too busy for, also if it says so late', async () => {
    const response = deviceReportedError('invocation.start', { code: 'busy', message: 'm' });
    await recorder.recordLateAnswer(INVOCATION, refused('busy'), response);
    expect(countCalls()).toEqual({ ...NONE, discardInvocation: 1 });
  });

  it('leaves an invocation alone whose outcome is not known', async () => {
    const response = timeoutError();
    expect(await recorder.recordResult(INVOCATION, null, response)).toBe(response);
    await recorder.recordLateAnswer(INVOCATION, refused('invalid_answer'), response);
    expect(countCalls()).toEqual(NONE);
  });

  it('ends one that the device refused', async () => {
    const response = deviceReportedError('invocation.start', { code: 'cwd_not_found', message: 'm' });
    expect(await recorder.recordLateAnswer(INVOCATION, refused('cwd_not_found'), response)).toBe(response);
    expect(countCalls()).toEqual({ ...NONE, recordRefusal: 1 });
  });

  it('answers 202 with the record of one that the device started, also under a key after a timeout', async () => {
    expect(await recorder.recordLateAnswer(INVOCATION, STARTED, SENT)).toEqual({ status: 202, body: { data: RECORD } });
    expect(starts.recordStart).toHaveBeenCalledWith('req_1', STARTED.result);
  });

  it.each([
    ['the record is gone', () => Promise.resolve(undefined)],
    ['the database is gone', () => Promise.reject(new Error('Connection terminated unexpectedly'))],
  ])('leaves open what happened when %s', async (_, recordStart) => {
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    starts.recordStart.mockImplementationOnce(recordStart);
    expect(await recorder.recordLateAnswer(INVOCATION, STARTED, SENT)).toMatchObject({
      code: 'device_disconnected',
      extras: { members: { outcome: 'unknown' } },
    });
  });
});

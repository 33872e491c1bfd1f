import { Logger } from '@nestjs/common';
import type { InvocationDto, InvocationStartsService } from '../../invocations';
import type { DeviceAnswer } from '../../relay-bus';
import { deviceReportedError, notDeliveredError, timeoutError } from '../relay.errors';
import type { CallContext } from './call-context';
import { CallHookRegistry, type CallHooks } from './call-hook-registry';
import type { CallReply } from './call-reply';
import { InvocationRecorder } from './invocation-recorder';
import type { UnsentRequest } from './relay-request';

const CONTEXT = { caller: { accountId: 'acc_1' } } as CallContext;
const START = { method: 'invocation.start', requestId: 'req_1', machineId: 'mch_1' } as UnsentRequest;
const STARTED: DeviceAnswer = { kind: 'result', result: { state: 'running' }, bytes: 19 };
const refused = (code: string): DeviceAnswer => ({ kind: 'error', error: { code, message: 'm' } });
const RECORD = { id: 'inv_1' } as InvocationDto;
const loseDatabase = () => Promise.reject(new Error('Connection terminated unexpectedly'));

describe('InvocationRecorder', () => {
  const starts = {
    createInvocation: jest.fn(() => Promise.resolve()),
    discardInvocation: jest.fn(() => Promise.resolve()),
    recordRefusal: jest.fn(() => Promise.resolve()),
    recordStart: jest.fn<Promise<InvocationDto | undefined>, unknown[]>(() => Promise.resolve(RECORD)),
  };
  const callHooks = new CallHookRegistry();
  const recorder = new InvocationRecorder(starts as unknown as InvocationStartsService, callHooks);
  recorder.onModuleInit();
  const { beforeSending, onReply } = callHooks.createHooks(CONTEXT, START) as Required<CallHooks>;
  const countCalls = () =>
    Object.fromEntries(Object.entries(starts).map(([name, { mock }]) => [name, mock.calls.length]));
  const NONE = { createInvocation: 0, discardInvocation: 0, recordRefusal: 0, recordStart: 0 };
  const SENT: CallReply = { status: 200, body: { requestId: 'req_1', result: STARTED.result } };

  beforeEach(() => jest.clearAllMocks());
  afterEach(() => jest.restoreAllMocks());

  it('stores the invocation before it is sent, and concerns no other calls', async () => {
    await beforeSending();
    expect(starts.createInvocation).toHaveBeenCalledWith('acc_1', 'mch_1', 'req_1');
    expect(callHooks.createHooks(CONTEXT, { ...START, method: 'invocation.cancel' } as UnsentRequest)).toEqual({});
  });

  it.each(['no_online_device', 'device_busy', 'relay_unavailable'] as const)(
    'deletes an invocation that was not delivered: %s',
    async (reason) => {
      const reply = notDeliveredError(reason);
      expect(await onReply(reply, null)).toBe(reply);
      expect(countCalls()).toEqual({ ...NONE, discardInvocation: 1 });
    },
  );

  it('deletes one that the device was too busy for, also if it says so late', async () => {
    const reply = deviceReportedError('invocation.start', { code: 'busy', message: 'm' });
    await onReply(reply, refused('busy'));
    expect(countCalls()).toEqual({ ...NONE, discardInvocation: 1 });
  });

  it('deletes one that was not delivered later if the database is unavailable', async () => {
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    starts.discardInvocation.mockImplementationOnce(loseDatabase);
    const reply = notDeliveredError('no_online_device');
    expect(await onReply(reply, null)).toBe(reply);
    expect(countCalls()).toEqual({ ...NONE, discardInvocation: 1 });
    await recorder.onApplicationShutdown();
    expect(countCalls()).toEqual({ ...NONE, discardInvocation: 2 });
    expect(starts.discardInvocation).toHaveBeenLastCalledWith('req_1');
  });

  it('deletes one that may be stored although its storage failed, since it is not sent', async () => {
    starts.createInvocation.mockImplementationOnce(loseDatabase);
    await expect(beforeSending()).rejects.toThrow('Connection terminated');
    await recorder.onApplicationShutdown();
    expect(countCalls()).toEqual({ ...NONE, createInvocation: 1, discardInvocation: 1 });
  });

  it('leaves an invocation alone whose outcome is not known', async () => {
    const reply = timeoutError();
    expect(await onReply(reply, null)).toBe(reply);
    await onReply(reply, refused('invalid_answer'));
    expect(countCalls()).toEqual(NONE);
  });

  it('ends one that the device refused', async () => {
    const reply = deviceReportedError('invocation.start', { code: 'cwd_not_found', message: 'm' });
    expect(await onReply(reply, refused('cwd_not_found'))).toBe(reply);
    expect(countCalls()).toEqual({ ...NONE, recordRefusal: 1 });
  });

  it('answers 202 with the record of one that the device started, also under a key after a timeout', async () => {
    expect(await onReply(SENT, STARTED)).toEqual({ status: 202, body: { data: RECORD } });
    expect(starts.recordStart).toHaveBeenCalledWith('req_1', STARTED.result);
  });

  it.each([
    ['the record is gone', () => Promise.resolve(undefined)],
    ['the database is gone', loseDatabase],
  ])('leaves open what happened when %s', async (_, recordStart) => {
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    starts.recordStart.mockImplementationOnce(recordStart);
    expect(await onReply(SENT, STARTED)).toMatchObject({
      code: 'device_disconnected',
      extras: { members: { outcome: 'unknown' } },
    });
  });
});

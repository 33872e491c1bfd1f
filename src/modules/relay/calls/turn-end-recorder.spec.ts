import { Logger } from '@nestjs/common';
import type { DeviceAnswer } from '../../relay-bus';
import type { ReportTurnService } from '../../turns';
import type { CallContext } from './call-context';
import { CallHookRegistry } from './call-hook-registry';
import type { CallReply } from './call-reply';
import { createCancelTurnRequest } from './relay-request';
import { TurnEndRecorder } from './turn-end-recorder';

const REPORT = { revision: 3, state: 'completed' };
const createReply = (result: Record<string, unknown>): CallReply => ({
  status: 200,
  body: { requestId: 'req_1', result },
});

describe('TurnEndRecorder', () => {
  const recordEnd = jest.fn(() => Promise.resolve());
  const callHooks = new CallHookRegistry();
  new TurnEndRecorder({ recordEnd } as unknown as ReportTurnService, callHooks).onModuleInit();
  const reply = (result: Record<string, unknown>) => {
    const context = { requestId: 'req_1', caller: { accountId: 'acc_1' } } as CallContext;
    const hooks = callHooks.createHooks(context, createCancelTurnRequest(context, 'ses_1', 'turn_1'));
    const answer: DeviceAnswer = { kind: 'result', result, bytes: 2 };
    return hooks.onReply!(createReply(result), answer);
  };

  beforeEach(() => recordEnd.mockClear());
  afterEach(() => jest.restoreAllMocks());

  it('stores the end that the device has not reported, and shows callers the state', async () => {
    expect(await reply({ state: 'completed', report: REPORT })).toEqual(createReply({ state: 'completed' }));
    expect(recordEnd.mock.calls).toEqual([['acc_1', 'ses_1', 'turn_1', REPORT]]);
  });

  it('stores nothing without a report', async () => {
    expect(await reply({ state: 'cancelled' })).toEqual(createReply({ state: 'cancelled' }));
    expect(recordEnd).not.toHaveBeenCalled();
  });

  it('logs a failure, because the turn has ended in any case', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    recordEnd.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    expect(await reply({ state: 'cancelled', report: REPORT })).toEqual(createReply({ state: 'cancelled' }));
    expect(log).toHaveBeenCalledTimes(1);
  });
});

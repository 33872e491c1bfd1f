import { Logger } from '@nestjs/common';
import { getRequestContext, runInRequestContext, type RequestContext } from '../../../common/request-context';
import type { PermissionDecisionsService } from '../../permission-requests';
import type { DeviceAnswer } from '../../relay-bus';
import type { CallContext } from './call-context';
import { CallHookRegistry } from './call-hook-registry';
import type { CallReply } from './call-reply';
import { DecisionRecorder } from './decision-recorder';
import { createCancelTurnRequest, createDecidePermissionRequest } from './relay-request';

const DECISION = {
  requestId: 'req_1',
  accountId: 'acc_1',
  decidedBy: { tokenId: 'tok_1', deviceId: null },
  sessionId: 'ses_1',
  localId: 'p1',
  optionId: 'o1',
};
const PARAMS = { localId: 'p1', optionId: 'o1', contentHash: 'hash' };
const REPLY: CallReply = { status: 200, body: { requestId: 'req_1', result: {} } };
const confirm = (result: Record<string, unknown>): DeviceAnswer => ({ kind: 'result', result, bytes: 2 });

describe('DecisionRecorder', () => {
  const recordDecision = jest.fn(() => Promise.resolve());
  const callHooks = new CallHookRegistry();
  new DecisionRecorder({ recordDecision } as unknown as PermissionDecisionsService, callHooks).onModuleInit();
  const contextOf = (caller: object) =>
    ({ requestId: 'req_1', caller: { accountId: 'acc_1', ...caller } }) as CallContext;
  const createHooks = (caller: object = { kind: 'token', type: 'pat', tokenId: 'tok_1' }) => {
    const context = contextOf(caller);
    return callHooks.createHooks(context, createDecidePermissionRequest(context, 'ses_1', PARAMS));
  };
  const reply = (answer: DeviceAnswer | null, caller?: object) => createHooks(caller).onReply!(REPLY, answer);

  beforeEach(() => recordDecision.mockClear());
  afterEach(() => jest.restoreAllMocks());

  it('stores a confirmed decision with who decided', async () => {
    expect(await reply(confirm({ state: 'allowed', optionId: 'o1' }))).toBe(REPLY);
    expect(recordDecision.mock.calls).toEqual([
      [DECISION, { state: 'allowed', optionId: 'o1' }, { tokenId: 'tok_1', deviceId: null }],
    ]);
  });

  it('names a device that decided', async () => {
    await reply(confirm({ state: 'allowed', optionId: 'o1' }), { kind: 'device', deviceId: 'dev_1' });
    const decidedBy = { tokenId: null, deviceId: 'dev_1' };
    expect(recordDecision).toHaveBeenCalledWith({ ...DECISION, decidedBy }, expect.anything(), decidedBy);
  });

  it('stores a late decision for the request that made it, whose caller the audit trail names', async () => {
    const request: RequestContext = { traceparent: undefined, actor: { kind: 'token', id: 'tok_1' } };
    const hooks = runInRequestContext(request, () => createHooks());
    let recordedFor: RequestContext | undefined;
    recordDecision.mockImplementationOnce(() => {
      recordedFor = getRequestContext();
      return Promise.resolve();
    });
    await hooks.onReply!(REPLY, confirm({ state: 'allowed', optionId: 'o1' }));
    expect(recordedFor).toBe(request);
  });

  it('concerns no other methods', () => {
    const context = contextOf({ kind: 'device', deviceId: 'dev_1' });
    expect(callHooks.createHooks(context, createCancelTurnRequest(context, 'ses_1', 'turn_1'))).toEqual({});
  });

  it.each<[string, DeviceAnswer | null]>([
    ['no answer', null],
    ['an error', { kind: 'error', error: { code: 'permission_not_pending', message: '' } }],
    ['another option', confirm({ state: 'allowed', optionId: 'o2' })],
    ['no option', confirm({})],
  ])('stores nothing for %s', async (_, answer) => {
    expect(await reply(answer)).toBe(REPLY);
    expect(recordDecision).not.toHaveBeenCalled();
  });

  it('logs a failure, because the device has decided in any case', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    recordDecision.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    expect(await reply(confirm({ state: 'allowed', optionId: 'o1' }))).toBe(REPLY);
    expect(log).toHaveBeenCalledTimes(1);
  });
});

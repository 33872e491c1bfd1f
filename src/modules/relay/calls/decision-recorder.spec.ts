import { Logger } from '@nestjs/common';
import type { PermissionDecisionsService } from '../../permission-requests';
import type { DeviceAnswer } from '../bus/device-answer';
import type { CallContext } from './call-context';
import { DecisionRecorder, toSentDecision } from './decision-recorder';
import { createCancelTurnRequest, createDecidePermissionRequest } from './relay-request';

const DECISION = {
  requestId: 'req_1',
  accountId: 'acc_1',
  decidedBy: { tokenId: 'tok_1', deviceId: null },
  sessionId: 'ses_1',
  localId: 'p1',
  optionId: 'o1',
};
const confirm = (result: Record<string, unknown>): DeviceAnswer => ({ kind: 'result', result, bytes: 2 });

describe('the decision of a call', () => {
  const params = { localId: 'p1', optionId: 'o1', contentHash: 'hash' };
  const contextOf = (caller: object) =>
    ({ requestId: 'req_1', caller: { accountId: 'acc_1', ...caller } }) as CallContext;

  it.each([
    { caller: { kind: 'token', type: 'pat', tokenId: 'tok_1' }, decidedBy: { tokenId: 'tok_1', deviceId: null } },
    { caller: { kind: 'device', deviceId: 'dev_1' }, decidedBy: { tokenId: null, deviceId: 'dev_1' } },
  ])('names the caller: $caller.kind', ({ caller, decidedBy }) => {
    const context = contextOf(caller);
    const request = createDecidePermissionRequest(context, 'ses_1', params);
    expect(toSentDecision(context, request)).toEqual({ ...DECISION, decidedBy });
  });

  it('does not exist for other methods', () => {
    const context = contextOf({ kind: 'device', deviceId: 'dev_1' });
    expect(toSentDecision(context, createCancelTurnRequest(context, 'ses_1', 'turn_1'))).toBeNull();
  });
});

describe('DecisionRecorder', () => {
  const recordDecision = jest.fn(() => Promise.resolve());
  const recorder = new DecisionRecorder({ recordDecision } as unknown as PermissionDecisionsService);

  beforeEach(() => recordDecision.mockClear());
  afterEach(() => jest.restoreAllMocks());

  it('stores a confirmed decision with who decided', async () => {
    await recorder.recordAnswer(DECISION, confirm({ state: 'allowed', optionId: 'o1' }));
    expect(recordDecision.mock.calls).toEqual([
      [DECISION, { state: 'allowed', optionId: 'o1' }, { tokenId: 'tok_1', deviceId: null }],
    ]);
  });

  it.each<[string, DeviceAnswer]>([
    ['an error', { kind: 'error', error: { code: 'permission_not_pending', message: '' } }],
    ['another option', confirm({ state: 'allowed', optionId: 'o2' })],
    ['no option', confirm({})],
  ])('stores nothing for %s', async (_, answer) => {
    await recorder.recordAnswer(DECISION, answer);
    expect(recordDecision).not.toHaveBeenCalled();
  });

  it('logs a failure, because the device has decided in any case', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    recordDecision.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    await recorder.recordAnswer(DECISION, confirm({ state: 'allowed', optionId: 'o1' }));
    expect(log).toHaveBeenCalledTimes(1);
  });
});

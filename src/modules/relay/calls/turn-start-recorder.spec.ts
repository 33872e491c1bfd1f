import { Logger } from '@nestjs/common';
import type { DeviceAnswer } from '../../relay-bus';
import type { ReportTurnService } from '../../turns';
import type { CallContext } from './call-context';
import { CallHookRegistry } from './call-hook-registry';
import type { CallReply } from './call-reply';
import {
  createDecidePermissionRequest,
  createMessageRequest,
  createStartSessionRequest,
  type UnsentRequest,
} from './relay-request';
import { TurnStartRecorder } from './turn-start-recorder';

const TURN = { id: 'turn_1', state: 'running', stopReason: null };

describe('TurnStartRecorder', () => {
  const recordAnsweredTurn = jest.fn(() => Promise.resolve());
  const callHooks = new CallHookRegistry();
  new TurnStartRecorder({ recordAnsweredTurn } as unknown as ReportTurnService, callHooks).onModuleInit();
  const context = { requestId: 'req_1', caller: { accountId: 'acc_1' } } as CallContext;
  const message = createMessageRequest(context, 'ses_1', { content: 'hello' });
  const start = createStartSessionRequest(context, 'mch_1', { content: 'hello' });

  const answer = async (request: UnsentRequest, result: Record<string, unknown>, deviceId?: string) => {
    const reply: CallReply = { status: 200, body: { requestId: 'req_1', result } };
    const deviceAnswer: DeviceAnswer = { kind: 'result', result, bytes: 2 };
    expect(await callHooks.createHooks(context, request).onReply!(reply, deviceAnswer, deviceId)).toBe(reply);
  };

  beforeEach(() => recordAnsweredTurn.mockClear());
  afterEach(() => jest.restoreAllMocks());

  it('stores the turn of a message, and of the session that a start names', async () => {
    await answer(message, { accepted: true, turn: TURN }, 'dev_1');
    await answer(start, { sessionId: 'ses_2', turn: TURN });
    expect(recordAnsweredTurn.mock.calls).toEqual([
      ['acc_1', 'ses_1', 'req_1', { deviceId: 'dev_1', state: 'running' }],
      ['acc_1', 'ses_2', 'req_1', { deviceId: null, state: 'running' }],
    ]);
  });

  it('stores the turn of a message that came with a decision', async () => {
    const params = { localId: 'p1', contentHash: 'hash', optionId: 'o2', message: 'Use the cache.' };
    const decision = createDecidePermissionRequest(context, 'ses_1', params);
    await answer(decision, { state: 'rejected', optionId: 'o2', turn: { ...TURN, state: 'queued' } }, 'dev_1');
    expect(recordAnsweredTurn.mock.calls).toEqual([
      ['acc_1', 'ses_1', 'req_1', { deviceId: 'dev_1', state: 'queued' }],
    ]);
  });

  it('stores the turn of another call that a message has joined', async () => {
    await answer(message, { turn: { ...TURN, id: 'turn_0' }, steered: true });
    await answer(message, { turn: TURN, steered: false });
    expect(recordAnsweredTurn.mock.calls.map(([, , requestId]: unknown[]) => requestId)).toEqual(['req_0', 'req_1']);
  });

  it('stores nothing for an answer that names no turn', async () => {
    await answer(message, { accepted: true });
    await answer(start, { sessionId: 'ses_2', turn: null });
    expect(recordAnsweredTurn).not.toHaveBeenCalled();
  });

  it('logs a failure, because the turn has begun in any case', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    recordAnsweredTurn.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    await answer(message, { turn: TURN });
    expect(log).toHaveBeenCalledTimes(1);
  });
});

import { AgentFixture } from '../../support/agent-fixture';
import { waitFor } from '../../support/wait-for';

describe('an agent of the reference device', () => {
  let fixture: AgentFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await AgentFixture.start('ada-with-agents');
    sessionId = (await fixture.startSession({ tag: 'work' })).result.sessionId;
  });
  afterEach(() => expect(fixture.problems.filter((problem) => !problem.includes('no mode "yolo"'))).toEqual([]));
  afterAll(() => fixture?.stop());

  it('is announced by its machine, with what it has said about itself', async () => {
    const { machineId } = fixture.machine.machineService.identity;
    await waitFor(async () =>
      expect(await fixture.get(`/machines/${machineId}`)).toMatchObject({
        state: 'online',
        capabilities: expect.arrayContaining(['session.start', 'session.cancel', 'session.permission', 'session.end']),
        agents: [{ name: 'test', title: 'Test agent', version: '1.0.0', modes: ['ask', 'auto'] }],
      }),
    );
  });

  it('is shown in the session that a caller has started', async () => {
    await waitFor(async () =>
      expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({
        tag: 'work',
        state: 'active',
        activity: 'idle',
        agent: { name: 'test', title: 'Test agent', mode: 'ask' },
      }),
    );
  });

  it('answers a message, and its turn has the same state in the answer and in the record', async () => {
    // The answer waits until the service has stored the message, but not longer than a second.
    const { requestId, result } = await waitFor(async () => {
      const sent = await fixture.sendMessage(sessionId, 'say Hello.\ntool 3 passed\nsay Done.');
      expect(sent.result.messageId).not.toBeNull();
      return sent;
    });
    const turnId = requestId.replace('req_', 'turn_');
    expect(result).toEqual({
      accepted: true,
      messageId: expect.stringMatching(/^msg_/),
      reply: 'Hello.\n\nDone.',
      turn: { id: turnId, state: 'completed', stopReason: 'end_turn' },
    });
    const turn = await fixture.waitForTurn(sessionId, turnId, 'completed');
    expect(turn).toMatchObject({
      requestId,
      deviceId: fixture.machine.machineService.identity.deviceId,
      stopReason: 'end_turn',
      errorCode: null,
      pendingPermissions: 0,
      usage: { outputTokens: 7 },
      lastSeq: turn.firstSeq + 3,
    });
    expect(turn.endedAt).toBeGreaterThanOrEqual(turn.startedAt);
    expect(await fixture.readRoles(sessionId, turnId)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const [message] = (await fixture.get(`/sessions/${sessionId}/messages?turnId=${turnId}&role=user`)) as object[];
    expect(message).toMatchObject({ id: result.messageId, turnId });
  });

  it('works on after an answer without waiting, for a caller that waits for the turn', async () => {
    const { result } = await fixture.sendMessage(sessionId, 'wait 300\nsay Later.', 0);
    expect(result.turn).toMatchObject({ stopReason: null });
    expect(await fixture.waitForTurn(sessionId, result.turn.id, 'completed')).toMatchObject({ stopReason: 'end_turn' });
    expect(await fixture.readRoles(sessionId, result.turn.id)).toEqual(['user', 'assistant']);
  });

  it('works on one message at a time, and on two sessions at once', async () => {
    const other = await fixture.startSession({ content: 'silent', waitMs: 0 });
    const first = await fixture.sendMessage(sessionId, 'silent', 0);
    const second = await fixture.sendMessage(sessionId, 'say Second.', 0);
    await fixture.waitForTurn(other.result.sessionId, other.result.turn.id, 'running');
    await fixture.waitForTurn(sessionId, first.result.turn.id, 'running');
    expect(await fixture.get(`/sessions/${sessionId}/turns/${second.result.turn.id}`)).toMatchObject({
      state: 'queued',
      startedAt: null,
    });
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'running' });
    const cancelled = await fixture.post(`/sessions/${sessionId}/turns/${first.result.turn.id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { result: { state: 'cancelled' } } });
    await fixture.waitForTurn(sessionId, second.result.turn.id, 'completed');
    await fixture.waitForTurn(sessionId, first.result.turn.id, 'cancelled');
    await fixture.waitForTurn(other.result.sessionId, other.result.turn.id, 'running');
    await fixture.post(`/sessions/${other.result.sessionId}/end`);
  });

  it('has its permission request in the record as soon as the answer says that action is required', async () => {
    const { result } = await fixture.sendMessage(sessionId, 'edit approved.txt text');
    expect(result).toMatchObject({ reply: null, turn: { state: 'requires_action', stopReason: null } });
    const turn = await fixture.waitForTurn(sessionId, result.turn.id, 'requires_action');
    expect(turn).toMatchObject({ pendingPermissions: 1 });
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'requires_action' });
    const path = `/sessions/${sessionId}/permission-requests`;
    const [pending] = (await fixture.get(`${path}?state=pending`)) as { id: string }[];
    expect(pending).toMatchObject({
      turnId: result.turn.id,
      kind: 'edit',
      options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
    });
    const cancelled = await fixture.post(`/sessions/${sessionId}/turns/${result.turn.id}/cancel`);
    expect(cancelled.body).toMatchObject({ result: { state: 'cancelled' } });
    await fixture.waitForTurn(sessionId, result.turn.id, 'cancelled');
    await waitFor(async () =>
      expect(await fixture.get(`${path}/${pending!.id}`)).toMatchObject({ state: 'cancelled' }),
    );
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'idle' });
  });

  it('cancels its turns when the session ends, and keeps their messages', async () => {
    const started = await fixture.startSession({ content: 'say Begun.\nsilent', waitMs: 0 });
    const { sessionId: id, turn } = started.result;
    await fixture.waitForTurn(id, turn.id, 'running');
    const queued = await fixture.sendMessage(id, 'say Never.', 0);
    expect(await fixture.post(`/sessions/${id}/end`)).toMatchObject({
      status: 200,
      body: { result: { state: 'ended' } },
    });
    await fixture.waitForTurn(id, turn.id, 'cancelled');
    await fixture.waitForTurn(id, queued.result.turn.id, 'cancelled');
    expect(await fixture.get(`/sessions/${id}`)).toMatchObject({ state: 'ended', activity: 'idle' });
    expect(await fixture.readRoles(id, turn.id)).toEqual(['user', 'assistant']);
    expect(await fixture.readRoles(id, queued.result.turn.id)).toEqual(['user']);
    const again = await fixture.post(`/sessions/${id}/end`);
    expect(again).toMatchObject({ status: 200, body: { result: { state: 'ended' } } });
  });

  it.each([
    [{ agent: 'other' }, 'agent_not_found'],
    [{ cwd: '/not/there' }, 'cwd_not_found'],
    [{ cwd: '/' }, 'cwd_not_allowed'],
    [{ mode: 'yolo' }, 'mode_not_found'],
    [{ tag: 'work' }, 'session_exists'],
  ])('is not started with %j', async (body, code) => {
    const { machineId } = fixture.machine.machineService.identity;
    const refused = await fixture.post(`/machines/${machineId}/sessions`, body);
    expect(refused).toMatchObject({ status: 502, body: { code: 'device_error', deviceError: { code } } });
  });

  it('that did not start is explained to the user of the machine', () =>
    expect(fixture.problems).toEqual([expect.stringContaining('The agent has no mode "yolo". Its modes: ask, auto.')]));
});

import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import type { MachineProcess } from '../../support/machine-process';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';

interface Option {
  id: string;
  type: string;
  value: string | null;
  values: { value: string }[];
}

describe('options and steering of an agent of the reference device', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    const env = { TEST_AGENT_OPTIONS: 'options,switches,commands,steering' };
    machine = await fixture.startMachineWith({ env, args: ['--agent-env', 'TEST_AGENT_OPTIONS'] });
    sessionId = await fixture.startSession(machine);
  });
  afterAll(() => fixture?.stop());

  const send = (body: object) => fixture.post(`/sessions/${sessionId}/messages`, body);
  const requestOptions = (method: 'GET' | 'PATCH', json?: object, token = fixture.token) =>
    fixture.service.http.request(method, `/external/v1/sessions/${sessionId}/options`, { token, json });
  const readValues = async (): Promise<Record<string, string | null>> => {
    const { options } = expectStatus(await requestOptions('GET'), 200).result as { options: Option[] };
    return Object.fromEntries(options.map(({ id, value }) => [id, value]));
  };
  const ask = async (content: string) => expectStatus(await send({ content, waitMs: 25_000 }), 200).result.reply;

  it('are what the agent offers, with its commands', async () => {
    await waitFor(async () => {
      const { options, commands } = expectStatus(await requestOptions('GET'), 200).result;
      expect(options).toMatchObject([
        { id: 'allow_all', type: 'boolean', value: 'off' },
        { id: 'model', type: 'select', value: 'small', values: [{ value: 'small' }, { value: 'large' }] },
        { id: 'effort', value: 'low', values: [{ value: 'low' }, { value: 'high' }] },
        { id: 'search', category: null },
        { id: 'fast', type: 'boolean', value: 'off', values: [{ value: 'on' }, { value: 'off' }] },
        { id: 'mode', value: 'ask' },
      ]);
      expect(commands).toMatchObject([{ name: 'compact' }]);
    });
    await waitFor(async () => {
      const { data } = (await fixture.ada.http.get(`/v1/control/machines/${machine.id}`, fixture.ada.token)).body;
      expect(data.agents[0].options).toContainEqual({ id: 'model', category: 'model' });
    });
  });

  it('are chosen for the next turn, and others depend on them', async () => {
    const changed = await requestOptions('PATCH', { model: 'large', fast: 'on' });
    const { options } = expectStatus(changed, 200).result as { options: Option[] };
    expect(options.find(({ id }) => id === 'effort')?.values.map(({ value }) => value)).toEqual(['low', 'max']);
    expect(await ask('options')).toBe('large, low, fast');
    expect(await readValues()).toMatchObject({ model: 'large', fast: 'on' });
  });

  it('are chosen all or none', async () => {
    const refused = expectProblem(await requestOptions('PATCH', { fast: 'off', effort: 'high' }), 502, 'device_error');
    expect(refused.deviceError.code).toBe('option_value_not_found');
    expect(await ask('options')).toBe('large, low, fast');
  });

  it('follow the agent that changes them by itself', async () => {
    await ask('change-model small');
    await waitFor(async () => expect(await readValues()).toMatchObject({ model: 'small' }));
  });

  it('with which the agent decides by itself require another scope, or are refused', async () => {
    const { token } = await fixture.ada.createToken(['sessions:read', 'sessions:write']);
    const forbidden = expectProblem(await requestOptions('PATCH', { mode: 'auto' }, token), 403, 'insufficient_scope');
    expect(forbidden).toMatchObject({ required: ['sessions:write', 'machines:invoke'], outcome: 'answered' });
    const unsafe = expectProblem(await requestOptions('PATCH', { allow_all: 'on' }), 502, 'device_error');
    expect(unsafe.deviceError.code).toBe('agent_mode_unsafe');
    expect(await readValues()).toMatchObject({ mode: 'ask', allow_all: 'off' });
  });

  it('are those of a start', async () => {
    const body = { options: { model: 'large', effort: 'max' }, content: 'options' };
    const started = expectStatus(await fixture.post(`/machines/${machine.id}/sessions`, body), 200);
    expect(started.result.turn.state).toBe('completed');
    const { sessionId: id, turn } = started.result;
    expect(
      expectStatus(await fixture.post(`/sessions/${id}/messages`, { content: 'options' }), 200).result,
    ).toMatchObject({
      reply: 'large, max',
    });
    expect(turn.id).toMatch(/^turn_/);
    expectStatus(await fixture.post(`/sessions/${id}/end`), 200);
  });

  it('let a message join the running turn', async () => {
    const running = expectStatus(await send({ content: 'await-steering', waitMs: 0 }), 200).result.turn;
    await fixture.waitForTurn(sessionId, running.id, 'running');
    const steered = await waitFor(async () => {
      const response = await send({ content: 'Use the other file.', ifBusy: 'steer', waitMs: 25_000 });
      return expectStatus(response, 200).result;
    });
    expect(steered).toMatchObject({ steered: true, reply: 'told: Use the other file.', turn: { id: running.id } });
    await fixture.waitForTurn(sessionId, running.id, 'completed');
    expect(await fixture.readRoles(sessionId, running.id)).toEqual(['user', 'user', 'assistant']);
  });

  it('let a message begin a turn if none runs, and interrupt or refuse one', async () => {
    const idle = expectStatus(await send({ content: 'say idle', ifBusy: 'steer', waitMs: 25_000 }), 200).result;
    expect(idle).toMatchObject({ steered: false, reply: 'idle' });
    const running = expectStatus(await send({ content: 'silent', waitMs: 0 }), 200).result.turn;
    await fixture.waitForTurn(sessionId, running.id, 'running');
    const queued = expectStatus(await send({ content: 'say queued', waitMs: 0 }), 200).result.turn;
    expectProblem(await send({ content: 'say never', ifBusy: 'reject' }), 409, 'session_busy');
    const now = expectStatus(await send({ content: 'say now', ifBusy: 'interrupt', waitMs: 25_000 }), 200).result;
    expect(now.reply).toBe('now');
    await fixture.waitForTurn(sessionId, running.id, 'cancelled');
    await fixture.waitForTurn(sessionId, queued.id, 'completed');
    const [queuedRecord, nowRecord] = await Promise.all(
      [queued.id, now.turn.id].map((id: string) => fixture.get(`/sessions/${sessionId}/turns/${id}`)),
    );
    expect(nowRecord.startedAt).toBeLessThan(queuedRecord.startedAt);
  });
});

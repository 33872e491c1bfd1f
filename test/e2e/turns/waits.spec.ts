import { ChangeWaitRegistry } from '../../../src/core/waits/change-wait-registry';
import { generateId } from '../../../src/common/ids';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';
import { waitFor } from '../../support/wait-for';

describe('waiting for a turn', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let turn: ReportedTurn;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '10000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
  });
  beforeEach(async () => {
    const session = await ada.createSession(machine);
    turn = new ReportedTurn(machine, session.id);
  });
  afterAll(() => service?.stop());

  /** Resolves when the service holds this number of waiting calls. */
  const waitForWaits = (count: number) =>
    waitFor(() => {
      const waits = service.app.get(ChangeWaitRegistry, { strict: false });
      expect(waits.keys.flatMap((key) => waits.getWaits(key))).toHaveLength(count);
    }, 20_000);

  /** Returns the turn and how long the call took, in ms. */
  const read = async (query: string) => {
    const startedAt = performance.now();
    const { data } = expectStatus(await service.http.get(turn.path + query, token), 200);
    return { ...data, ms: performance.now() - startedAt };
  };

  it('ends at the next change', async () => {
    await turn.report('running');
    const answer = read('?waitMs=28000');
    await waitForWaits(1);
    await turn.report('requires_action');
    await expect(answer).resolves.toMatchObject({ state: 'requires_action', version: 2 });
  });

  it('with afterVersion passes over the states that the caller knows', async () => {
    await turn.report('requires_action');
    const answer = read('?waitMs=28000&afterVersion=1');
    await waitForWaits(1);
    await turn.report('completed');
    await expect(answer).resolves.toMatchObject({ state: 'completed', version: 2 });
    expect(await read('?waitMs=28000&afterVersion=99')).toMatchObject({ state: 'completed' });
  });

  it('ends with the turn as it is when the time is up', async () => {
    await turn.report('running');
    const { state, version, ms } = await read('?waitMs=300');
    expect({ state, version }).toEqual({ state: 'running', version: 1 });
    expect(ms).toBeGreaterThanOrEqual(290);
  });

  it('ends with 404 when the session is deleted', async () => {
    await turn.report('running');
    const answer = service.http.get(`${turn.path}?waitMs=28000`, token);
    await waitForWaits(1);
    expectStatus(await service.http.delete(turn.devicePath.split('/turns')[0]!, machine.token), 204);
    expect((await answer).status).toBe(404);
  });

  it('does not begin for an unknown turn, another account or an invalid time', async () => {
    expect((await service.http.get(`${turn.path}?waitMs=28000`, token)).status).toBe(404);
    await turn.report('running');
    const bob = await ForeignAccountDevice.signUp(service.http);
    const foreign = await bob.createToken(['sessions:read']);
    expect((await service.http.get(`${turn.path}?waitMs=28000`, foreign.token)).status).toBe(404);
    const other = turn.path.replace(turn.id, generateId('turn'));
    expect((await service.http.get(`${other}?waitMs=28000`, token)).status).toBe(404);
    for (const query of ['waitMs=28001', 'waitMs=-1', 'waitMs=x', 'afterVersion=-1', 'afterVersion=x']) {
      expect((await service.http.get(`${turn.path}?${query}`, token)).status).toBe(400);
    }
  });

  it('is refused to the 201st call of an account, and a caller that hangs up frees its place', async () => {
    await turn.report('running');
    const controller = new AbortController();
    const gone = service.http.get(`${turn.path}?waitMs=28000`, token, { signal: controller.signal });
    const others = Array.from({ length: 199 }, () => service.http.get(`${turn.path}?waitMs=28000`, token));
    await waitForWaits(200);
    const refused = await service.http.get(`${turn.path}?waitMs=28000`, token);
    expect(refused.body.code).toBe('too_many_waits');
    expect(refused.headers.get('retry-after')).toBe('1');
    controller.abort();
    await expect(gone).rejects.toThrow();
    await waitForWaits(199);
    await turn.report('completed');
    for (const answer of await Promise.all(others)) expect(answer.body.data.state).toBe('completed');
  });

  it('ends when the instance shuts down', async () => {
    await turn.report('running');
    const answer = read('?waitMs=28000');
    await waitForWaits(1);
    service = await service.restart();
    expect(await answer).toMatchObject({ state: 'running' });
  });
});

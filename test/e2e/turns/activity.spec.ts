import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { buildTurnReport, ReportedTurn } from '../../support/turns/turn-reports';
import { listViolations } from '../../support/violations';

describe('the last activity of a turn', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let sessionId: string;
  let turn: ReportedTurn;
  const startedAt = 1_788_255_000_000;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
  });
  beforeEach(async () => {
    ({ id: sessionId } = await ada.createSession(machine));
    turn = new ReportedTurn(machine, sessionId);
  });
  afterAll(() => service?.stop());

  const put = async (lastActivityAt: number | null, revision = 1, state: 'running' | 'completed' = 'running') => {
    const { status, body } = await turn.put(buildTurnReport(state, revision, { lastActivityAt }));
    expect([200, 201]).toContain(status);
    return body.data;
  };
  const readTurn = async () => expectStatus(await service.http.get(turn.path, token), 200).data;
  const readUpdatedAt = async () => {
    const { body } = await service.http.get(`/external/v1/sessions/${sessionId}`, token);
    return body.data.updatedAt as number;
  };

  it('is null until the device says it', async () => {
    expect(await put(null)).toMatchObject({ version: 1, lastActivityAt: null });
  });

  it('changes with a repeated report, and nothing else does', async () => {
    const first = await put(startedAt);
    const updatedAt = await readUpdatedAt();
    expect(await put(startedAt + 10_000)).toEqual({ ...first, lastActivityAt: startedAt + 10_000 });
    expect(await readTurn()).toEqual({ ...first, lastActivityAt: startedAt + 10_000 });
    expect(await readUpdatedAt()).toBe(updatedAt);
  });

  it('doesn’t wake a call that waits for a change', async () => {
    await put(startedAt);
    const waiting = service.http.get(`${turn.path}?waitMs=20000`, token);
    await put(startedAt + 10_000);
    await put(startedAt + 20_000, 2);
    expect(expectStatus(await waiting, 200).data).toMatchObject({ version: 2, lastActivityAt: startedAt + 20_000 });
  });

  it('is stored at most once in 5 s, and never goes back', async () => {
    await put(startedAt);
    for (const step of [1, 4_999, 0, -10_000]) {
      expect(await put(startedAt + step)).toMatchObject({ lastActivityAt: startedAt });
    }
    expect(await put(startedAt + 5_000)).toMatchObject({ lastActivityAt: startedAt + 5_000 });
    expect(await put(startedAt, 2)).toMatchObject({ version: 2, lastActivityAt: startedAt + 5_000 });
    expect(await put(startedAt + 5_001, 3)).toMatchObject({ lastActivityAt: startedAt + 5_001 });
  });

  it('is not in the future', async () => {
    const { lastActivityAt } = await put(8_640_000_000_000_000);
    expect(lastActivityAt).toBeLessThanOrEqual(Date.now());
  });

  it('stays as it was when the turn has ended, and in a report that doesn’t say it', async () => {
    await put(startedAt);
    expect(await put(null, 2, 'completed')).toMatchObject({ state: 'completed', lastActivityAt: startedAt });
    expect(await put(startedAt + 60_000, 2, 'completed')).toMatchObject({ lastActivityAt: startedAt });
  });

  it('is not taken from another state, an older report or another device', async () => {
    await put(startedAt);
    const later = { lastActivityAt: startedAt + 10_000 };
    const waiting = { ...later, pendingPermissions: 1 };
    await turn.put(buildTurnReport('requires_action', 1, waiting));
    expectStatus(await turn.put(buildTurnReport('running', 1, later), ada), 403);
    expect(await readTurn()).toMatchObject({ state: 'running', lastActivityAt: startedAt });
    await put(startedAt, 2);
    expect(await put(startedAt + 10_000, 1)).toMatchObject({ lastActivityAt: startedAt });
  });

  it.each([-1, 1.5, '1', 1e300])('is 400 for %p, and for a queued turn', async (lastActivityAt) => {
    const refused = await turn.put(buildTurnReport('running', 1, { lastActivityAt }));
    const queued = await turn.put(buildTurnReport('queued', 1, { lastActivityAt: startedAt }));
    for (const answer of [refused, queued]) {
      expectStatus(answer, 400);
      expect(listViolations(answer).map(([, path]) => path)).toEqual(['/lastActivityAt']);
    }
  });
});

import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { RelayFixture } from '../../support/relay-fixture';
import { ReportedTurn } from '../../support/turns/turn-reports';

describe('turns, read by an account device', () => {
  let fixture: RelayFixture;
  let host: ForeignDevice;
  let phone: ForeignDevice;
  let sessionId: string;
  let turn: ReportedTurn;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    host = await fixture.ada.pairDevice('machine');
    phone = await fixture.ada.pairDevice('account');
  });
  beforeEach(async () => {
    sessionId = (await fixture.ada.createSession(host)).id;
    turn = new ReportedTurn(host, sessionId);
    expectStatus(await turn.report('running'), 201);
  });
  afterAll(() => fixture?.stop());

  const read = (path: string, by = phone.token) => fixture.http.get(`/v1/control/sessions/${sessionId}${path}`, by);

  it('are the records that tokens read', async () => {
    const list = expectStatus(await read('/turns'), 200);
    const externalPath = `/external/v1/sessions/${sessionId}/turns`;
    expect(list).toEqual(expectStatus(await fixture.http.get(externalPath, fixture.token), 200));
    expect(list.data).toMatchObject([{ id: turn.id, state: 'running' }]);
    expect(expectStatus(await read(`/turns/${turn.id}`), 200)).toEqual({ data: list.data[0] });
    expect(expectStatus(await read('/turns?state=completed'), 200).data).toEqual([]);
  });

  it('can be waited for', async () => {
    const answer = read(`/turns/${turn.id}?waitMs=28000&afterVersion=1`);
    expectStatus(await turn.report('completed'), 200);
    expect(expectStatus(await answer, 200).data).toMatchObject({ state: 'completed', version: 2 });
  });

  it('are 404 for other accounts', async () => {
    const eve = await ForeignAccountDevice.signUp(fixture.http);
    expectProblem(await read('/turns', eve.token), 404, 'not_found');
    expectProblem(await read(`/turns/${turn.id}`, eve.token), 404, 'not_found');
  });
});

import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';
import { waitFor } from '../../support/wait-for';

describe('a turn whose device is away', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let session: { id: string };

  beforeAll(async () => {
    service = await Service.start({ TURN_LOST_AFTER_SECONDS: '2' });
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
    session = await ada.createSession(machine);
  });
  afterAll(() => service?.stop());

  const read = async ({ path }: ReportedTurn) => expectStatus(await service.http.get(path, token), 200).data;
  const readActivity = async () =>
    expectStatus(await service.http.get(`/external/v1/sessions/${session.id}`, token), 200).data.activity;

  it('is lost after the time, and what its device reports then wins', async () => {
    const turn = new ReportedTurn(machine, session.id);
    const ended = new ReportedTurn(machine, session.id);
    expectStatus(await turn.report('requires_action'), 201);
    expectStatus(await ended.report('completed'), 201);
    const answer = service.http.get(`${turn.path}?waitMs=28000&afterVersion=1`, token);
    expect(expectStatus(await answer, 200).data).toMatchObject({ state: 'lost', version: 2, pendingPermissions: 0 });
    expect(await readActivity()).toBe('idle');
    expect(await read(ended)).toMatchObject({ state: 'completed', version: 1 });
    expect(expectStatus(await turn.report('running'), 200).data).toMatchObject({ state: 'running', version: 3 });
    expect(await readActivity()).toBe('running');
    expectStatus(await turn.report('completed'), 200);
  });

  it('is not lost while the device is connected', async () => {
    const socket = await DeviceSocket.connect(service.url, machine.token, []);
    const turn = new ReportedTurn(machine, session.id);
    expectStatus(await turn.report('running'), 201);
    const answer = await service.http.get(`${turn.path}?waitMs=5000`, token);
    expect(answer.body.data).toMatchObject({ state: 'running', version: 1 });
    socket.close();
    await waitFor(async () => expect(await read(turn)).toMatchObject({ state: 'lost', version: 2 }), 15_000);
  });
});

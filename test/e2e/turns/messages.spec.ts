import { generateId } from '../../../src/common/ids';
import { DeviceSession } from '../../support/device/device-session';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';
import { listViolations } from '../../support/violations';

describe('messages of turns', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let session: DeviceSession;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
  });
  beforeEach(async () => {
    session = await DeviceSession.createSession(ada, machine);
  });
  afterAll(() => service?.stop());

  const startTurn = async () => {
    const turn = new ReportedTurn(machine, session.id);
    expectStatus(await turn.report('running'), 201);
    return turn;
  };
  const append = (messages: [localId: string, turnLocalId: string | null][], by?: ForeignDevice) => {
    const batch = messages.map(([localId, turnLocalId]) => ({ ...session.encryptMessage(localId), turnLocalId }));
    return session.postMessages(batch, by);
  };
  const readTurn = async (turn: ReportedTurn) => {
    const path = `/external/v1/sessions/${session.id}/turns`;
    const { data } = expectStatus(await service.http.get(path, token), 200);
    return data.find(({ id }: { id: string }) => id === turn.id);
  };
  const readMessages = async (query: string) =>
    expectStatus(await service.http.get(`/external/v1/sessions/${session.id}/messages${query}`, token), 200).data;

  it('have its id, and extend its range without a new version', async () => {
    const [first, second] = [await startTurn(), await startTurn()];
    const batch: [string, string | null][] = [
      ['a', null],
      ['b', first.requestId],
      ['c', second.requestId],
      ['d', first.requestId],
    ];
    expectStatus(await append(batch), 201);
    expectStatus(await append([['e', second.requestId]]), 201);
    expectStatus(await append([['e', second.requestId]]), 200);
    expect(await readTurn(first)).toMatchObject({ firstSeq: 2, lastSeq: 4, version: 1 });
    expect(await readTurn(second)).toMatchObject({ firstSeq: 3, lastSeq: 5, version: 1 });
    expect((await readMessages('?order=asc')).map(({ turnId }: { turnId: string | null }) => turnId)).toEqual([
      null,
      first.id,
      second.id,
      first.id,
      second.id,
    ]);
    const { data } = expectStatus(await service.http.get(`/v1/sessions/${session.id}/messages`, machine.token), 200);
    expect(data[1]).toMatchObject({ localId: 'b', turnId: first.id });
    expectStatus(await first.report('completed'), 200);
    expect(await readTurn(first)).toMatchObject({ firstSeq: 2, lastSeq: 4, version: 2 });
  });

  it('can be listed by turn', async () => {
    const turn = await startTurn();
    const messages: [string, string | null][] = [
      ['a', null],
      ['b', turn.requestId],
      ['c', turn.requestId],
    ];
    expectStatus(await append(messages), 201);
    const list = async (query: string) => (await readMessages(query)).map(({ seq }: { seq: number }) => seq);
    expect(await list(`?turnId=${turn.id}`)).toEqual([3, 2]);
    expect(await list(`?turnId=${turn.id}&beforeSeq=3`)).toEqual([2]);
    expect(await list(`?turnId=${generateId('turn')}`)).toEqual([]);
  });

  it('of a turn that the device has not reported are 400, and nothing is appended', async () => {
    const turn = await startTurn();
    const unknown = await append([
      ['a', turn.requestId],
      ['b', generateId('req')],
    ]);
    expect(unknown.status).toBe(400);
    const place = (i: number) => ['body', `/messages/${i}/turnLocalId`, 'not_allowed'];
    expect(listViolations(unknown)).toEqual([place(1)]);
    expect(listViolations(await append([['a', turn.id]]))).toEqual([
      ['body', '/messages/0/turnLocalId', 'invalid_format'],
    ]);
    const foreign = await append([['a', turn.requestId]], ada);
    expect(listViolations(foreign)).toEqual([place(0)]);
    expect(await readMessages('')).toEqual([]);
    expect(await readTurn(turn)).toMatchObject({ firstSeq: null, lastSeq: null });
  });
});

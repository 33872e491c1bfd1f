import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { buildTurnReport, ReportedTurn } from '../../support/turns/turn-reports';
import { listViolations } from '../../support/violations';

describe('reports of what a turn used', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: ForeignDevice;
  let token: string;
  let session: { id: string };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    machine = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
  });
  beforeEach(async () => {
    session = await ada.createSession(machine);
  });
  afterAll(() => service?.stop());

  const startTurn = () => new ReportedTurn(machine, session.id);
  const read = async (path: string) => expectStatus(await service.http.get(`/external/v1${path}`, token), 200).data;
  const readSession = () => read(`/sessions/${session.id}`);
  const readTurns = () => read(`/sessions/${session.id}/turns`);

  it('of an older device have no cost, no context and no cached tokens', async () => {
    const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14 };
    const stored = expectStatus(await startTurn().report('completed', { usage }), 201).data;
    expect(stored).toMatchObject({ usage: { ...usage, cachedInputTokens: null }, cost: null });
    expect(await readSession()).toMatchObject({ context: null });
  });

  it('give the session its context, which reports without one leave', async () => {
    const turn = startTurn();
    await turn.report('running', { context: { used: 5, size: 100 } });
    const { updatedAt } = await readSession();
    await turn.report('running', { context: null });
    expect(await readSession()).toMatchObject({ context: { used: 5, size: 100 }, updatedAt });
    await turn.report('completed', { context: { used: 50, size: 100 }, cost: { amount: 1e-9, currency: 'EUR' } });
    expect(await readSession()).toMatchObject({ context: { used: 50, size: 100 } });
    expect(await readTurns()).toMatchObject([{ cost: { amount: 1e-9, currency: 'EUR' } }]);
    expect(await read('/sessions')).toContainEqual(
      expect.objectContaining({ id: session.id, context: { used: 50, size: 100 } }),
    );
  });

  it('that end a turn of which the device has lost the cost leave the stored one', async () => {
    const turn = startTurn();
    const cost = { amount: 2, currency: 'USD' };
    await turn.report('running', { cost });
    expect(expectStatus(await turn.report('failed'), 200).data).toMatchObject({ state: 'failed', cost });
  });

  it.each<[string, object, string[]]>([
    [
      'a negative count of cached tokens',
      { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cachedInputTokens: -1 } },
      ['/usage/cachedInputTokens'],
    ],
    ['a negative cost', { cost: { amount: -0.1, currency: 'USD' } }, ['/cost/amount']],
    ['a huge cost', { cost: { amount: 1e300, currency: 'USD' } }, ['/cost/amount']],
    ['a cost that is no number', { cost: { amount: '1', currency: 'USD' } }, ['/cost/amount']],
    ['a cost without a currency', { cost: { amount: 1 } }, ['/cost/currency']],
    ['an unknown form of currency', { cost: { amount: 1, currency: 'dollars' } }, ['/cost/currency']],
    ['a part of the context', { context: { used: 1 } }, ['/context/size']],
    ['a context of fractions', { context: { used: 1.5, size: 2 } }, ['/context/used']],
  ])('with %s are 400 and change nothing', async (_, change, paths) => {
    const refused = await startTurn().put(buildTurnReport('running', 1, change));
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(listViolations(refused).map(([, path]) => path)).toEqual(paths);
    expect(await readTurns()).toEqual([]);
  });
});

import type { SignedInDevice } from '../signed-in-device';
import { TurnAnnouncer } from './turn-announcer';

const TURN = { sessionId: 'ses_1', turnLocalId: 'req_1' };

let reports: unknown[];
let turnAnnouncer: TurnAnnouncer;

beforeEach(() => {
  reports = [];
  const callApi = (_method: string, _path: string, report: unknown) => Promise.resolve(void reports.push(report));
  turnAnnouncer = new TurnAnnouncer({ callApi } as unknown as SignedInDevice);
});

it('sends no report of a new turn whose start the service has stored', async () => {
  const expected = turnAnnouncer.expectStart(TURN.turnLocalId);
  const announced = turnAnnouncer.announceTurn(TURN);
  turnAnnouncer.confirmStart(TURN.turnLocalId);
  await Promise.all([expected, announced]);
  expect(reports).toEqual([]);
});

it('reports a new turn as queued once, if its start is late', async () => {
  void turnAnnouncer.expectStart(TURN.turnLocalId);
  await Promise.all([turnAnnouncer.announceTurn(TURN), turnAnnouncer.announceTurn(TURN)]);
  expect(reports).toMatchObject([{ revision: 1, state: 'queued' }]);
});

it('announces a turn that has started again, after a connection to a service that may have lost it', async () => {
  turnAnnouncer.confirmStart(TURN.turnLocalId);
  turnAnnouncer.forgetAllTurns();
  await turnAnnouncer.announceTurn(TURN);
  expect(reports).toHaveLength(1);
});

import { ApprovalFixture } from '../../support/approval-fixture';
import { CallerDataKey } from '../../support/content/granted-session';
import { expectStatus } from '../../support/device/foreign-device';

describe('a key grant that is revoked in the middle of a turn', () => {
  let fixture: ApprovalFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    sessionId = await fixture.startSession(await fixture.startMachine());
  });
  afterAll(() => fixture?.stop());

  async function revokeGrants(): Promise<void> {
    const { http, token } = fixture.ada;
    const path = `/v1/sessions/${sessionId}/key-grants`;
    const { data } = expectStatus(await http.get(path, token), 200) as { data: { id: string }[] };
    for (const { id } of data) expectStatus(await http.delete(`${path}/${id}`, token), 204);
  }

  const read = (path: string) => fixture.service.http.get(`/external/v1${path}/content`, fixture.token);
  const noGrant = { status: 403, body: { code: 'no_content_grant' } };

  it('stops reads and decisions at once, while the turn waits for a caller with a grant', async () => {
    const request = await fixture.askToWrite(sessionId, 'granted.txt');
    await revokeGrants();
    expect(await read(request.path)).toMatchObject(noGrant);
    expect(await fixture.decide(request, { decision: 'allow' })).toMatchObject(noGrant);
    expect(await fixture.get(request.path)).toMatchObject({ state: 'pending', decidedBy: null });
    expect(fixture.hasFile('granted.txt')).toBe(false);

    const key = await CallerDataKey.openSessionKey(fixture.ada, sessionId);
    expectStatus(await key.grantToService({ sessionId }), 201);
    expectStatus(await fixture.decide(request, { decision: 'allow' }), 200);
    await fixture.waitForTurn(sessionId, request.turnId, 'completed');
    expect(fixture.hasFile('granted.txt')).toBe(true);
  });

  it('leaves the turn to its device, whose later messages only another grant opens', async () => {
    const request = await fixture.askToWrite(sessionId, 'cancelled.txt');
    await revokeGrants();
    expectStatus(await fixture.post(`/sessions/${sessionId}/turns/${request.turnId}/cancel`), 200);
    await fixture.waitForTurn(sessionId, request.turnId, 'cancelled');
    const { result } = expectStatus(await fixture.post(`/sessions/${sessionId}/messages`, { content: 'say Hi.' }), 200);
    expect(result).toMatchObject({ reply: 'Hi.', turn: { state: 'completed' } });
    const path = `/sessions/${sessionId}/messages`;
    const [answer] = (await fixture.get(`${path}?turnId=${result.turn.id}&role=assistant`)) as { id: string }[];
    expect(await read(`${path}/${answer!.id}`)).toMatchObject(noGrant);
    const key = await CallerDataKey.openSessionKey(fixture.ada, sessionId);
    expectStatus(await key.grantToService({ sessionId }), 201);
    expect(expectStatus(await read(`${path}/${answer!.id}`), 200).data).toMatchObject({ content: 'Hi.' });
  });
});

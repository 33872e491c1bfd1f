import { ApprovalFixture } from '../../support/approval-fixture';
import { CallerDataKey } from '../../support/content/granted-session';
import { encryptWithJose } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';

describe('a message with a decision, which the reference device gets', () => {
  let fixture: ApprovalFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    sessionId = await fixture.startSession(await fixture.startMachine());
  });
  afterAll(() => fixture?.stop());

  const readTexts = async (turnId: string): Promise<string[]> => {
    const messages = await fixture.get(`/sessions/${sessionId}/messages?turnId=${turnId}&order=asc`);
    const contents = messages.map(({ id }: { id: string }) =>
      fixture.get(`/sessions/${sessionId}/messages/${id}/content`),
    );
    return (await Promise.all(contents)).map(({ content }) => content as string);
  };

  it('is prompted before a queued one after a rejection, which cancels the turn', async () => {
    const request = await fixture.askToWrite(sessionId, 'rejected.txt', 'silent');
    const queued = await fixture.post(`/sessions/${sessionId}/messages`, { content: 'memory', waitMs: 0 });
    const decided = await fixture.decide(request, { decision: 'reject', message: 'say Another file.' });
    const { turn } = expectStatus(decided, 200).result;
    expect(turn).toEqual({ id: decided.body.requestId.replace('req_', 'turn_'), state: 'queued', stopReason: null });
    await fixture.waitForTurn(sessionId, turn.id, 'completed');
    await fixture.waitForTurn(sessionId, request.turnId, 'cancelled');
    expect(await readTexts(turn.id)).toEqual(['say Another file.', 'Another file.']);
    const queuedTurnId = queued.body.result.turn.id as string;
    await fixture.waitForTurn(sessionId, queuedTurnId, 'completed');
    expect((await readTexts(queuedTurnId)).at(-1)).toMatch(/say Another file\.$/);
    expect(fixture.hasFile('rejected.txt')).toBe(false);
    expect(await fixture.get(request.path)).toMatchObject({ state: 'rejected' });
    const late = await fixture.decide(request, { decision: 'allow', message: 'say Too late.' });
    expectProblem(late, 409, 'permission_not_pending');
  });

  it('is prompted after the end of the turn that an approval lets go on', async () => {
    const request = await fixture.askToWrite(sessionId, 'allowed.txt');
    const decided = await fixture.decide(request, { decision: 'allow', message: 'say And now this.' });
    const { turn } = expectStatus(decided, 200).result;
    await fixture.waitForTurn(sessionId, turn.id, 'completed');
    await fixture.waitForTurn(sessionId, request.turnId, 'completed');
    expect(await readTexts(turn.id)).toEqual(['say And now this.', 'And now this.']);
    expect(fixture.hasFile('allowed.txt')).toBe(true);
  });

  it('can be one that only the device can read', async () => {
    const request = await fixture.askToWrite(sessionId, 'sealed.txt');
    const key = await CallerDataKey.openSessionKey(fixture.ada, sessionId);
    const session = expectStatus(await fixture.ada.http.get(`/v1/sessions/${sessionId}`, fixture.ada.token), 200).data;
    const svc = { a: fixture.ada.accountId, s: session.tag, h: request.contentHash, r: 'user' };
    const sealedMessage = await encryptWithJose(key.bytes, { kid: key.kid, svc }, 'say Sealed.');
    const { turn } = expectStatus(await fixture.decide(request, { decision: 'reject', sealedMessage }), 200).result;
    await fixture.waitForTurn(sessionId, turn.id, 'completed');
    expect(await readTexts(turn.id)).toEqual(['say Sealed.', 'Sealed.']);
  });
});

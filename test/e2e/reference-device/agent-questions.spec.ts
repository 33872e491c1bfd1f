import { ApprovalFixture, type ReadRequest } from '../../support/approval-fixture';
import { CallerDataKey } from '../../support/content/granted-session';
import { encryptWithJose } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { waitFor } from '../../support/wait-for';

describe('a question of an agent of the reference device', () => {
  let fixture: ApprovalFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    sessionId = await fixture.startSession(await fixture.startMachine());
  });
  afterAll(() => fixture?.stop());

  /** Lets the agent ask, and reads what it asks. */
  async function ask(content = 'question'): Promise<ReadRequest & { content: { schema: unknown } }> {
    const { result } = expectStatus(await fixture.post(`/sessions/${sessionId}/messages`, { content }), 200);
    expect(result).toMatchObject({ reply: null, turn: { state: 'requires_action' } });
    const [request] = await waitFor(async () => {
      const requests = await fixture.get(`/sessions/${sessionId}/permission-requests?state=pending`);
      expect(requests).toMatchObject([{ turnId: result.turn.id, kind: 'question', options: [] }]);
      return requests as { id: string }[];
    }, 10_000);
    const path = `/sessions/${sessionId}/permission-requests/${request!.id}`;
    const shown = await fixture.get(`${path}/content`);
    const { contentHash } = shown;
    return { turnId: result.turn.id, path, contentHash, content: JSON.parse(shown.content) };
  }

  /** Returns what the agent says after the question. */
  async function readReply(turnId: string): Promise<string> {
    await fixture.waitForTurn(sessionId, turnId, 'completed');
    const [message] = await fixture.get(`/sessions/${sessionId}/messages?turnId=${turnId}&role=assistant`);
    return (await fixture.get(`/sessions/${sessionId}/messages/${message.id}/content`)).content;
  }

  it('is read with a key grant, and its answers reach the agent', async () => {
    const question = await ask();
    expect(question.content).toMatchObject({
      title: 'Choose a database',
      message: 'Which database shall I use?',
      schema: { properties: { database: { oneOf: [{ const: 'postgres' }, { const: 'sqlite' }] } } },
    });
    const misfit = await fixture.decide(question, { answers: { database: 'oracle' } });
    expect(expectProblem(misfit, 400, 'invalid_request').detail).toBe(
      'The field "database" must be one of the choices.',
    );
    const answers = { database: 'sqlite', tests: false };
    expect(expectStatus(await fixture.decide(question, { answers }), 200).result).toEqual({
      state: 'allowed',
      optionId: null,
    });
    expect(await readReply(question.turnId)).toBe('accept {"database":"sqlite","tests":false}');
    expect(await fixture.get(question.path)).toMatchObject({
      state: 'allowed',
      decidedBy: { tokenId: fixture.tokenId, deviceId: null },
    });
  });

  it('that an agent asks by a permission request is one as well', async () => {
    const question = await ask('question-by-permission');
    expect(question.content).toMatchObject({ schema: { required: ['answer1', 'answer2'] } });
    const answers = { answer1: 'PostgreSQL', answer2: ['Tests'] };
    expectStatus(await fixture.decide(question, { answers }), 200);
    expect(JSON.parse(await readReply(question.turnId))).toEqual({
      outcome: { outcome: 'selected', optionId: 'proceed_once' },
      answers: { 0: 'PostgreSQL', 1: 'Tests' },
    });
  });

  it('can be declined', async () => {
    const question = await ask();
    expectStatus(await fixture.decide(question, { decision: 'decline' }), 200);
    expect(await readReply(question.turnId)).toBe('decline');
    expect(await fixture.get(question.path)).toMatchObject({ state: 'rejected' });
  });

  it('takes answers that only the device can read', async () => {
    const question = await ask();
    const key = await CallerDataKey.openSessionKey(fixture.ada, sessionId);
    const session = expectStatus(await fixture.ada.http.get(`/v1/sessions/${sessionId}`, fixture.ada.token), 200).data;
    const svc = { a: fixture.ada.accountId, s: session.tag, h: question.contentHash };
    const sealedAnswers = await encryptWithJose(key.bytes, { kid: key.kid, svc }, '{"database":"postgres"}');
    expectStatus(await fixture.decide(question, { sealedAnswers }), 200);
    expect(await readReply(question.turnId)).toBe('accept {"database":"postgres"}');
  });

  it('is cancelled with its turn', async () => {
    const question = await ask();
    expectStatus(await fixture.post(`/sessions/${sessionId}/turns/${question.turnId}/cancel`), 200);
    await waitFor(async () => expect(await fixture.get(question.path)).toMatchObject({ state: 'cancelled' }));
    expectProblem(await fixture.decide(question, { answers: {} }), 409, 'permission_not_pending');
  });
});

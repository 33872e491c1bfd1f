import type { AgentQuestion } from './agent-question';
import { isAgentQuestion } from './agent-question';
import type { AgentRequest, UnpromptedWork } from './agent-session';
import {
  buildTestAgent,
  openTestSession,
  RecordedTurn,
  runTestPrompt,
  stopTestAgents,
  waitUntil,
} from './testing/test-agents';

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);

/** Answers questions as the test says. */
const answerWith =
  (answer: (question: AgentQuestion) => void) =>
  (request: AgentRequest): void => {
    if (isAgentQuestion(request)) answer(request);
  };

describe('a question of an agent', () => {
  it.each([
    ['answered', (question: AgentQuestion) => question.answer({ database: 'sqlite' }), 'accept {"database":"sqlite"}'],
    ['declined', (question: AgentQuestion) => question.decline(), 'decline'],
    ['cancelled', (question: AgentQuestion) => question.cancel(), 'cancel'],
  ])('can be %s, and the turn goes on', async (_, answer, message) => {
    const { session } = await openTestSession();
    const { turn, stopReason } = await runTestPrompt(session, 'question', answerWith(answer));
    expect(turn.messages).toEqual([message]);
    expect(turn.openCounts).toEqual([1, 0]);
    expect(stopReason).toBe('end_turn');
  });

  it('is answered once', async () => {
    const { session } = await openTestSession();
    const results: boolean[] = [];
    const answerTwice = (question: AgentQuestion) =>
      void results.push(question.answer({ database: 'sqlite' }), question.decline(), question.cancel());
    const { turn } = await runTestPrompt(session, 'question', answerWith(answerTwice));
    expect(results).toEqual([true, false, false]);
    expect(turn.messages).toEqual(['accept {"database":"sqlite"}']);
  });

  it.each([
    ['with a URL', 'elicit {"mode": "url", "url": "https://example.com", "elicitationId": "1", "message": "Sign in"}'],
    ['with a nested form', 'question {"properties": {"a": {"type": "object", "properties": {}}}}'],
    ['without parameters', 'elicit {}'],
  ])('%s is declined, and the reader of the history learns why', async (_, prompt) => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, prompt);
    expect(turn.messages).toEqual(['decline']);
    expect(turn.notices).toEqual([expect.stringMatching(/^A question of the agent was declined: .+\.$/)]);
    expect(turn.permissions).toEqual([]);
  });

  it('of no session is declined', async () => {
    const { session } = await openTestSession();
    const prompt = 'elicit {"sessionId": "other", "mode": "form", "message": "", "requestedSchema": {}}';
    expect((await runTestPrompt(session, prompt)).turn.messages).toEqual(['decline']);
  });

  it('is cancelled with its turn', async () => {
    const { session } = await openTestSession();
    let question: AgentQuestion | undefined;
    const running = runTestPrompt(
      session,
      'question',
      answerWith((asked) => (question = asked)),
    );
    await waitUntil(() => question !== undefined);
    await session.cancel();
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await question?.closed).toEqual({ action: 'cancel' });
  });

  it('is cancelled when its turn ends', async () => {
    const { session } = await openTestSession();
    const { turn, stopReason } = await runTestPrompt(session, 'question-and-end');
    expect(stopReason).toBe('end_turn');
    await waitUntil(() => turn.openCounts.at(-1) === 0);
    expect(await turn.permissions[0]?.closed).toEqual({ action: 'cancel' });
  });

  it('after the end of a turn belongs to a turn that the agent begins', async () => {
    const { session } = await openTestSession({ limits: { unpromptedSilenceMs: 400 } });
    const works: UnpromptedWork[] = [];
    const later = new RecordedTurn(answerWith((question) => question.answer({ database: 'sqlite' })));
    session.receiveUnpromptedWork((work) => {
      works.push(work);
      return later;
    });
    const { turn } = await runTestPrompt(session, 'later 50 question');
    expect(turn.permissions).toEqual([]);
    await waitUntil(() => later.messages.length > 0 || works.length > 1);
    await works[0]?.ended;
    expect(later.messages).toEqual(['accept {"database":"sqlite"}']);
  });
});

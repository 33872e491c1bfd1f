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

  it.each([
    [
      'answered',
      (question: AgentQuestion) => question.answer({ answer1: 'SQLite\\u{200b}', answer2: ['Tests', 'Documents'] }),
      {
        outcome: { outcome: 'selected', optionId: 'proceed_once' },
        answers: { 0: 'SQLite\u200b', 1: 'Tests, Documents' },
      },
    ],
    [
      'declined',
      (question: AgentQuestion) => question.decline(),
      { outcome: { outcome: 'selected', optionId: 'cancel' } },
    ],
    ['cancelled', (question: AgentQuestion) => question.cancel(), { outcome: { outcome: 'cancelled' } }],
  ])('that it asks by a permission request can be %s', async (_, answer, response) => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'question-by-permission', answerWith(answer));
    expect(JSON.parse(turn.messages[0]!)).toEqual(response);
    expect(turn.openCounts).toEqual([1, 0]);
  });

  it('that it asks by a permission request has a field for each question', async () => {
    const { session } = await openTestSession();
    const asked: AgentQuestion[] = [];
    const answerAll = (question: AgentQuestion) => {
      asked.push(question);
      expect(question.findViolation({ answer1: 'MySQL', answer2: ['Tests'] })).toMatchObject({ field: 'answer1' });
      question.decline();
    };
    await runTestPrompt(session, 'question-by-permission', answerWith(answerAll));
    expect(asked).toMatchObject([{ kind: 'question', options: [] }]);
    expect(asked[0]!.content).toEqual({
      title: 'Question',
      message: '',
      schema: {
        type: 'object',
        properties: {
          answer1: {
            type: 'string',
            title: 'Database',
            description: 'Which database shall I use?',
            oneOf: [
              { const: 'PostgreSQL', title: 'PostgreSQL', description: 'A server' },
              { const: 'SQLite\\u{200b}', title: 'SQLite\\u{200b}', description: 'A file' },
            ],
          },
          answer2: {
            type: 'array',
            title: 'Parts',
            description: 'What shall I write?',
            items: {
              anyOf: [
                { const: 'Tests', title: 'Tests', description: 'In test/' },
                { const: 'Documents', title: 'Documents', description: 'In docs/' },
              ],
            },
            minItems: 1,
          },
        },
        required: ['answer1', 'answer2'],
      },
    });
  });

  it('that it asks by a permission request without choices is declined, and the reader learns why', async () => {
    const { session } = await openTestSession();
    const { turn } = await runTestPrompt(session, 'question-by-permission [{"question": "Why?", "header": "Why"}]');
    expect(JSON.parse(turn.messages[0]!)).toEqual({ outcome: { outcome: 'selected', optionId: 'cancel' } });
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

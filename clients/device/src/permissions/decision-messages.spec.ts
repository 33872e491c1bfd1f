import { createHash } from 'node:crypto';
import { buildAnswersBinding, buildDecisionMessageBinding, sealContent } from '@external-api/protocol';
import { QuestionForm } from '../agent/question-form';
import { QuestionRequest } from '../agent/question-request';
import { MemoryKeyStore } from '../index';
import { createPermissionRequest, ScriptedAgents, type AgentScript } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { MemoryTurnJournal, type TurnEntry } from '../turns/turn-journal';

const FORM = { type: 'object', properties: { tests: { type: 'boolean' } } };
const MESSAGE = 'Use the cache.';

let served: ServedMachine;
let agents: ScriptedAgents;
let store: MemoryKeyStore;
let outcomes: unknown[];
/** Ends the turn of an agent that has got its decision. */
let end: () => void;

const SCRIPTS: Record<string, AgentScript> = {
  ask: async (listener) => {
    const request = createPermissionRequest();
    listener.permissionRequested(request);
    outcomes.push((await request.closed)?.kind ?? null);
    await new Promise<void>((resolve) => (end = resolve));
  },
  'ask-and-end': async (listener) => {
    const request = createPermissionRequest();
    listener.permissionRequested(request);
    outcomes.push((await request.closed)?.kind ?? null);
  },
  'ask-twice': async (listener) => {
    const requests = [createPermissionRequest(), createPermissionRequest()];
    for (const request of requests) listener.permissionRequested(request);
    await Promise.all(requests.map(({ closed }) => closed));
    await new Promise<void>((resolve) => (end = resolve));
  },
  question: async (listener) => {
    const form = QuestionForm.parse({ mode: 'form', message: 'Tests?', requestedSchema: FORM });
    const question = new QuestionRequest(form, () => undefined);
    listener.permissionRequested(question);
    outcomes.push(await question.closed);
    await new Promise<void>((resolve) => (end = resolve));
  },
};

beforeEach(async () => {
  outcomes = [];
  agents = new ScriptedAgents(SCRIPTS);
  store = new MemoryKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider: agents } });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await served.stop();
});

const createMessage = (content: string, waitMs = 0) => createSessionRequest('session.message', { content, waitMs });
type Request = ReturnType<typeof createMessage>;
const send = (request: Request) => served.service.callDevice(request);
const getTurn = ({ requestId }: Request) => served.service.agents.turns.get(requestId);
const waitForState = (request: Request, state: string) => waitUntil(() => getTurn(request)?.state === state);
const getStored = (localId: string) => served.service.agents.permissionRequests.get(localId)!;
const getContentHash = (localId: string) => createHash('sha256').update(getStored(localId).content).digest('base64url');
const toTurnId = ({ requestId }: Request) => requestId.replace('req_', 'turn_');

/** Lets the agent ask, and two messages wait for it. */
async function askAgent(content = 'ask') {
  const asking = createMessage(content, 5_000);
  expect(await send(asking)).toMatchObject({ result: { turn: { state: 'requires_action' } } });
  const queued = [createMessage('one'), createMessage('two')];
  for (const request of queued) await send(request);
  return { asking, queued, localId: `${asking.requestId}:p1` };
}

const createDecision = (localId: string, decision: object) =>
  createSessionRequest('session.permission', { localId, contentHash: getContentHash(localId), ...decision });
const decide = (localId: string, decision: object) => send(createDecision(localId, decision));

const readDataKey = async () => Object.values((await store.loadState('machine'))!.dataKeys!)[0]!;

async function sealText(text: string, localId: string, buildBinding = buildDecisionMessageBinding) {
  const place = buildBinding('acc_1', served.runner.identity.sessionTag, getContentHash(localId));
  return sealContent({ mediaType: 'text/plain', bytes: Buffer.from(text) }, await readDataKey(), place);
}

describe('a message with a decision', () => {
  it('that rejects ends the turn, and is prompted before the queued ones', async () => {
    const { asking, queued, localId } = await askAgent();
    const decision = createDecision(localId, { optionId: 'o3', message: MESSAGE });
    expect(await send(decision)).toEqual({
      ok: true,
      result: {
        state: 'rejected',
        optionId: 'o3',
        turn: { id: toTurnId(decision), state: 'queued', stopReason: null },
      },
    });
    await waitForState(asking, 'cancelled');
    await waitForState(queued[1]!, 'completed');
    expect([agents.prompts, outcomes]).toEqual([['ask', MESSAGE, 'one', 'two'], ['reject_once']]);
    const users = served.service.messages.filter(({ role }) => role === 'user');
    expect(users.map(({ turnLocalId }) => turnLocalId)).toContain(decision.requestId);
  });

  it('that allows waits for the end of the turn, and goes before the queued ones', async () => {
    const { asking, queued, localId } = await askAgent();
    expect(await decide(localId, { optionId: 'o2', message: MESSAGE })).toMatchObject({ result: { state: 'allowed' } });
    await waitForState(asking, 'running');
    expect(agents.prompts).toEqual(['ask']);
    end();
    await waitForState(asking, 'completed');
    await waitForState(queued[1]!, 'completed');
    expect([agents.prompts, outcomes]).toEqual([['ask', MESSAGE, 'one', 'two'], ['allow_once']]);
  });

  it('goes before the queued ones also if the agent ends its turn with the decision', async () => {
    const { queued, localId } = await askAgent('ask-and-end');
    expect(await decide(localId, { optionId: 'o3', message: MESSAGE })).toMatchObject({ ok: true });
    await waitForState(queued[1]!, 'completed');
    expect(agents.prompts).toEqual(['ask-and-end', MESSAGE, 'one', 'two']);
    expect(getTurn(queued[0]!)).toMatchObject({ state: 'completed' });
  });

  it('comes with answers to a question, or declines it', async () => {
    const first = await askAgent('question');
    await decide(first.localId, { answers: { tests: true }, message: MESSAGE });
    end();
    await waitForState(first.queued[1]!, 'completed');
    const second = await askAgent('question');
    await decide(second.localId, { answers: null, message: MESSAGE });
    await waitForState(second.asking, 'cancelled');
    await waitForState(second.queued[1]!, 'completed');
    expect(outcomes).toEqual([{ action: 'accept', content: { tests: true } }, { action: 'decline' }]);
    expect(agents.prompts.filter((text) => text === MESSAGE)).toHaveLength(2);
  });

  it('cancels the other requests of the turn', async () => {
    const { asking, localId } = await askAgent('ask-twice');
    const other = localId.replace(':p1', ':p2');
    await waitUntil(() => getStored(other)?.state === 'pending');
    await decide(localId, { optionId: 'o3', message: MESSAGE });
    await waitForState(asking, 'cancelled');
    await waitUntil(() => getStored(other).state === 'cancelled');
    expect(getStored(localId)).toMatchObject({ state: 'rejected', optionId: 'o3' });
  });

  it('is sent only by the decision that counts', async () => {
    const { queued, localId } = await askAgent();
    const messages = ['of the first', 'of the second'];
    const answers = await Promise.all(messages.map((message) => decide(localId, { optionId: 'o3', message })));
    const counting = answers.findIndex(({ ok }) => ok);
    expect(answers[1 - counting]).toMatchObject({ ok: false, error: { code: 'permission_not_pending' } });
    await waitForState(queued[1]!, 'completed');
    expect(agents.prompts).toEqual(['ask', messages[counting], 'one', 'two']);
    expect(served.service.messages.filter(({ role }) => role === 'user')).toHaveLength(4);
  });

  it('is not sent after the end of the turn', async () => {
    const { asking, queued, localId } = await askAgent();
    await served.service.callDevice(createSessionRequest('session.cancel', { turnId: toTurnId(asking) }));
    const refused = { ok: false, error: { code: 'permission_not_pending' } };
    expect(await decide(localId, { optionId: 'o3', message: MESSAGE })).toMatchObject(refused);
    await waitForState(queued[1]!, 'completed');
    expect(agents.prompts).toEqual(['ask', 'one', 'two']);
  });

  it('survives a restart between the decision and the prompt', async () => {
    const { localId, queued } = await askAgent();
    let release = (): void => undefined;
    agents.blocked = new Promise<void>((resolve) => (release = resolve));
    const decision = createDecision(localId, { optionId: 'o3', message: MESSAGE });
    expect(await send(decision)).toMatchObject({ ok: true });
    await served.runner.stop();
    agents.blocked = undefined;
    release();
    served.runner = await served.machine.startServing();
    await waitForState(queued[1]!, 'completed');
    expect(agents.prompts).toEqual(['ask', MESSAGE, 'one', 'two']);
    expect(getTurn(decision)).toMatchObject({ state: 'completed' });
    expect(await send(decision)).toMatchObject({ ok: false, error: { code: 'permission_not_pending' } });
  });

  it('finds one place in a full queue, and decides nothing without a place', async () => {
    const { localId } = await askAgent('ask-twice');
    const other = localId.replace(':p1', ':p2');
    await waitUntil(() => getStored(other)?.state === 'pending');
    for (let i = 0; i < 6; i++) await send(createMessage(`queued ${i}`));
    expect(await decide(localId, { optionId: 'o2', message: MESSAGE })).toMatchObject({ ok: true });
    const refused = { ok: false, error: { code: 'busy' } };
    expect(await decide(other, { optionId: 'o2', message: MESSAGE })).toMatchObject(refused);
    expect(await decide(other, { optionId: 'o2' })).toMatchObject({ result: { state: 'allowed' } });
  });

  it('is lost with a full disk, and the answer says that the decision was executed', async () => {
    const { localId } = await askAgent();
    const isFull = ({ isFirst }: TurnEntry) => isFirst === true;
    const saveEntry = jest.spyOn(MemoryTurnJournal.prototype, 'saveEntry');
    saveEntry.mockImplementation((entry) => (isFull(entry) ? Promise.reject(new Error('ENOSPC')) : Promise.resolve()));
    expect(await decide(localId, { optionId: 'o3', message: MESSAGE })).toMatchObject({
      error: { code: 'internal', message: expect.stringMatching(/was executed.*ENOSPC/s) },
    });
    expect(outcomes).toEqual(['reject_once']);
  });
});

describe('a sealed message with a decision', () => {
  it('is decrypted', async () => {
    const { localId, queued } = await askAgent();
    const sealedMessage = await sealText(MESSAGE, localId);
    expect(await decide(localId, { optionId: 'o3', sealedMessage })).toMatchObject({ ok: true });
    await waitForState(queued[1]!, 'completed');
    expect(agents.prompts[1]).toBe(MESSAGE);
  });

  it.each([
    ['that is sealed as answers', (localId: string) => sealText(MESSAGE, localId, buildAnswersBinding)],
    ['that is the content of the request', (localId: string) => Promise.resolve(getStored(localId).content)],
    ['that is blank', (localId: string) => sealText(' \n', localId)],
    ['that is too long', (localId: string) => sealText('x'.repeat(2_001), localId)],
  ])('%s is refused, and nothing is decided', async (_, seal) => {
    const { localId } = await askAgent();
    const answer = await decide(localId, { optionId: 'o3', sealedMessage: await seal(localId) });
    expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_content' } });
    expect([getStored(localId).state, outcomes]).toEqual(['pending', []]);
  });
});

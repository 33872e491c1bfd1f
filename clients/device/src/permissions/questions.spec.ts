import { compactDecrypt } from 'jose';
import { createHash } from 'node:crypto';
import {
  buildAnswersBinding,
  buildMessageBinding,
  openContent,
  sealContent,
  type Capability,
} from '@external-api/protocol';
import { QuestionForm } from '../agent/question-form';
import { QuestionRequest } from '../agent/question-request';
import { MemoryKeyStore } from '../index';
import { AGENT_CAPABILITIES } from '../machine/capability-negotiation';
import type { AgentOptions } from '../sessions/agent-runtime';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const SCHEMA = {
  type: 'object',
  title: 'Choose a database',
  properties: {
    database: { type: 'string', oneOf: [{ const: 'postgres', title: 'PostgreSQL' }] },
    port: { type: 'integer', minimum: 1024 },
  },
  required: ['database'],
};
const ANSWERS = { database: 'postgres', port: 5432 };

let served: ServedMachine;
let store: MemoryKeyStore;
let question: QuestionRequest;

async function startMachine(options: Partial<AgentOptions> = {}, capabilities?: readonly Capability[]) {
  const form = QuestionForm.parse({ mode: 'form', message: 'Which one?', requestedSchema: SCHEMA });
  question = new QuestionRequest(form, () => undefined);
  const provider = new ScriptedAgents({
    ask: async (listener, signal) => {
      signal.addEventListener('abort', () => question.cancel());
      listener.permissionRequested(question);
      listener.messageCompleted(JSON.stringify(await question.closed));
    },
  });
  store = new MemoryKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({
    store,
    agents: { commands: [command], provider, ...options },
    prepare: (service) => {
      if (capabilities) service.acceptedCapabilities = [...capabilities];
    },
  });
}
afterEach(() => served.stop());

const getStored = (localId: string) => served.service.agents.permissionRequests.get(localId);
const getTurn = (requestId: string) => served.service.agents.turns.get(requestId);
const getContentHash = (localId: string) =>
  createHash('sha256').update(getStored(localId)!.content).digest('base64url');

async function askAgent() {
  const request = createSessionRequest('session.message', { content: 'ask' });
  const answer = await served.service.callDevice(request);
  return { requestId: request.requestId, localId: `${request.requestId}:p1`, answer };
}

const decide = (localId: string, decision: object) =>
  served.service.callDevice(
    createSessionRequest('session.permission', { localId, contentHash: getContentHash(localId), ...decision }),
  );

const readDataKey = async () => Object.values((await store.loadState('machine'))!.dataKeys!)[0]!;

/** Returns the texts of the device's notices in the history. */
async function readNotices(): Promise<string[]> {
  const dataKey = await readDataKey();
  const notices = served.service.messages.filter(({ role }) => role === 'system');
  const opened = notices.map(async ({ localId, role, content }) => {
    const place = buildMessageBinding('acc_1', served.runner.identity.sessionTag, localId, role);
    return Buffer.from((await openContent(content, dataKey, place)).bytes).toString();
  });
  return Promise.all(opened);
}

async function sealAnswers(localId: string, answers: unknown, contentHash = getContentHash(localId)) {
  const bytes = Buffer.from(JSON.stringify(answers));
  const place = buildAnswersBinding('acc_1', served.runner.identity.sessionTag, contentHash);
  return sealContent({ mediaType: 'application/json', bytes }, await readDataKey(), place);
}

describe('a question', () => {
  it('is an encrypted request without options, and its answers let the agent go on', async () => {
    await startMachine();
    const { requestId, localId, answer } = await askAgent();
    expect(answer).toMatchObject({ ok: true, result: { turn: { state: 'requires_action' } } });
    expect(getStored(localId)).toMatchObject({ kind: 'question', options: [], state: 'pending', optionId: null });
    const { k } = await readDataKey();
    const opened = await compactDecrypt(getStored(localId)!.content, Buffer.from(k, 'base64url'));
    expect(opened.protectedHeader.cty).toBe('application/vnd.external-api.question+json');
    expect(JSON.parse(Buffer.from(opened.plaintext).toString())).toEqual({
      title: 'Choose a database',
      message: 'Which one?',
      schema: SCHEMA,
    });
    expect(await decide(localId, { answers: ANSWERS })).toEqual({
      ok: true,
      result: { state: 'allowed', optionId: null },
    });
    expect(await question.closed).toEqual({ action: 'accept', content: ANSWERS });
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    expect(getStored(localId)).toMatchObject({ state: 'allowed', optionId: null, decidedAt: expect.any(Number) });
  });

  it('can be declined', async () => {
    await startMachine();
    const { localId } = await askAgent();
    expect(await decide(localId, { answers: null })).toMatchObject({ ok: true, result: { state: 'rejected' } });
    expect(await question.closed).toEqual({ action: 'decline' });
    await waitUntil(() => getStored(localId)?.state === 'rejected');
  });

  it('waits on after answers that do not fit', async () => {
    await startMachine();
    const { localId } = await askAgent();
    const answers = { database: 'postgres', port: 80 };
    expect(await decide(localId, { answers })).toEqual({
      ok: false,
      error: { code: 'invalid_answers', message: 'The field "port" must be at least 1024.' },
    });
    expect(await decide(localId, { answers: { a: {} } })).toMatchObject({ ok: false });
    expect(await decide(localId, { optionId: 'o1' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(await decide(localId, { contentHash: 'x', answers: ANSWERS })).toMatchObject({
      error: { code: 'conflict' },
    });
    expect(await decide(localId, { answers: ANSWERS })).toMatchObject({ ok: true });
  });

  it('is decided once', async () => {
    await startMachine();
    const { localId } = await askAgent();
    const decisions = [decide(localId, { answers: null }), decide(localId, { answers: ANSWERS })];
    expect(await Promise.all(decisions)).toMatchObject([
      { ok: true, result: { state: 'rejected' } },
      { ok: false, error: { code: 'permission_not_pending' } },
    ]);
    expect(await question.closed).toEqual({ action: 'decline' });
  });

  it('is declined when nobody answers, and the turn goes on', async () => {
    await startMachine({ permissionTimeoutMs: 150 });
    const { requestId, localId } = await askAgent();
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    expect(await question.closed).toEqual({ action: 'decline' });
    expect(getStored(localId)).toMatchObject({ state: 'expired', optionId: null });
    expect(await decide(localId, { answers: ANSWERS })).toMatchObject({ error: { code: 'permission_not_pending' } });
  });

  it('is cancelled with its turn', async () => {
    await startMachine();
    const { requestId, localId } = await askAgent();
    const turnId = requestId.replace('req_', 'turn_');
    await served.service.callDevice(createSessionRequest('session.cancel', { turnId }));
    await waitUntil(() => getStored(localId)?.state === 'cancelled');
    expect(await question.closed).toEqual({ action: 'cancel' });
    expect(await decide(localId, { answers: ANSWERS })).toMatchObject({ error: { code: 'permission_not_pending' } });
  });

  it.each(['allow', 'ask'] as const)('is asked under the policy %s', async (permissions) => {
    await startMachine({ permissions });
    expect((await askAgent()).answer).toMatchObject({ result: { turn: { state: 'requires_action' } } });
  });

  it.each([
    ['the policy reject', { permissions: 'reject' as const }, undefined, 'nobody may decide on this machine'],
    [
      'an older service',
      {},
      AGENT_CAPABILITIES.filter((name) => name !== 'session.question'),
      'the service can’t pass it on',
    ],
  ])('is declined under %s, and the history says why', async (_, options, capabilities, reason) => {
    await startMachine(options, capabilities);
    const { requestId, answer } = await askAgent();
    expect(answer).toMatchObject({ result: { reply: '{"action":"decline"}', turn: { state: 'completed' } } });
    expect(served.service.agents.permissionRequests.size).toBe(0);
    await waitUntil(() => getTurn(requestId)?.state === 'completed');
    const notice = `A question of the agent was declined, since ${reason}: Choose a database`;
    expect(await readNotices()).toEqual([notice]);
  });

  it('is declined when an older instance refuses to store it', async () => {
    await startMachine();
    served.service.agents.getReportError = (path) =>
      path.includes('permission-requests') ? new FakeServiceError(400, 'invalid_request') : undefined;
    expect((await askAgent()).answer).toMatchObject({ result: { reply: '{"action":"decline"}' } });
  });
});

describe('sealed answers', () => {
  it('are decrypted', async () => {
    await startMachine();
    const { localId } = await askAgent();
    const sealedAnswers = await sealAnswers(localId, ANSWERS);
    expect(await decide(localId, { sealedAnswers })).toMatchObject({ ok: true, result: { state: 'allowed' } });
    expect(await question.closed).toEqual({ action: 'accept', content: ANSWERS });
  });

  it.each([
    ['for other content', (localId: string) => sealAnswers(localId, ANSWERS, 'x'.repeat(43))],
    ['that are no answers', (localId: string) => sealAnswers(localId, ['a'])],
    ['that are the content of the question', (localId: string) => Promise.resolve(getStored(localId)!.content)],
  ])('%s are refused', async (_, seal) => {
    await startMachine();
    const { localId } = await askAgent();
    const answer = await decide(localId, { sealedAnswers: await seal(localId) });
    expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_content' } });
    expect(await decide(localId, { answers: null })).toMatchObject({ ok: true });
  });

  it('that do not fit are refused without a word about the form', async () => {
    await startMachine();
    const { localId } = await askAgent();
    const sealedAnswers = await sealAnswers(localId, { database: 'oracle' });
    expect(await decide(localId, { sealedAnswers })).toEqual({
      ok: false,
      error: { code: 'invalid_answers', message: 'The answers don’t fit the form.' },
    });
  });
});

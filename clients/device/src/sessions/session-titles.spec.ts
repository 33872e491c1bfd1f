import { buildMetadataBinding, openContent, sealContent } from '@external-api/protocol';
import { MemoryKeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let agents: ScriptedAgents;
let store: MemoryKeyStore;
beforeEach(async () => {
  store = new MemoryKeyStore();
  agents = new ScriptedAgents();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

const findSession = (id: string) => [...served.service.sessions.values()].find((session) => session.id === id)!;

/** Starts a session, with the tag `my-tag`. */
async function startSession(content: string | null = null): Promise<string> {
  const answer = await served.service.callDevice(createStartRequest({ tag: 'my-tag', content }));
  expect(answer).toMatchObject({ ok: true });
  return (answer as unknown as { result: { sessionId: string } }).result.sessionId;
}

const sendMessage = (sessionId: string, content: string) =>
  served.service.callDevice({ ...createSessionRequest('session.message', { content }), sessionId });
const endSession = (sessionId: string) =>
  served.service.callDevice({ ...createSessionRequest('session.end', {}), sessionId });

async function readPlace(sessionId: string) {
  const { tag, version, metadata } = findSession(sessionId);
  const { account, dataKeys } = (await store.loadState('machine'))!;
  const bind = (at: number) => buildMetadataBinding(account!.id, tag, at);
  return { dataKey: dataKeys![tag]!, version, metadata: metadata!, bind };
}

async function readMetadata(sessionId: string): Promise<Record<string, unknown>> {
  const { dataKey, version, metadata, bind } = await readPlace(sessionId);
  const { bytes } = await openContent(metadata, dataKey, bind(version));
  return JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
}

/** Does what a person's device does. */
async function renameSession(sessionId: string, title: string): Promise<void> {
  const { dataKey, version, bind } = await readPlace(sessionId);
  const renamed = { ...(await readMetadata(sessionId)), title };
  const content = { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(renamed)) };
  const metadata = await sealContent(content, dataKey, bind(version + 1));
  Object.assign(findSession(sessionId), { metadata, version: version + 1 });
}

async function waitForVersion(sessionId: string, version: number): Promise<void> {
  await waitUntil(() => findSession(sessionId).version >= version);
  expect(findSession(sessionId).version).toBe(version);
}

describe('the title of a session', () => {
  it('is the first line of the message that it is started with', async () => {
    const id = await startSession('Fix the test\n\nIt fails since yesterday.');
    expect(findSession(id).version).toBe(1);
    expect(await readMetadata(id)).toEqual({
      ...{ title: 'Fix the test', autoTitle: 'Fix the test', agent: 'scripted', cwd: expect.any(String) },
      ...{ name: expect.any(String), platform: expect.any(String) },
    });
  });

  it('is the tag until its first message, and later messages leave it', async () => {
    const id = await startSession();
    expect(await readMetadata(id)).toMatchObject({ title: 'my-tag' });
    await sendMessage(id, 'Fix the \u0007test');
    await waitForVersion(id, 2);
    expect(await readMetadata(id)).toMatchObject({ title: 'Fix the test', agent: 'scripted' });
    await sendMessage(id, 'Deploy');
    await endSession(id);
    expect(findSession(id).version).toBe(2);
  });

  it('is what the agent calls it, of which only the last one counts when the session ends', async () => {
    const id = await startSession('Fix the test');
    agents.nameSession('Failing \u001btest');
    await waitForVersion(id, 2);
    expect(await readMetadata(id)).toMatchObject({ title: 'Failing test' });
    for (const title of ['one', 'two', ' \n', 'Green test']) agents.nameSession(title);
    await endSession(id);
    expect(await readMetadata(id)).toMatchObject({ title: 'Green test' });
    expect(findSession(id)).toMatchObject({ version: 3, state: 'ended' });
  });

  it('stays as a person has chosen it', async () => {
    const id = await startSession('Fix the test');
    await renameSession(id, 'Monday');
    agents.nameSession('Failing test');
    await endSession(id);
    expect(await readMetadata(id)).toMatchObject({ title: 'Monday' });
    expect(findSession(id).version).toBe(2);
  });

  it('is not taken from the first message if a person has renamed the session before', async () => {
    const id = await startSession();
    await renameSession(id, 'Monday');
    await sendMessage(id, 'Fix the test');
    await endSession(id);
    expect(await readMetadata(id)).toMatchObject({ title: 'Monday' });
  });

  it('is written again after a change of another device, and after a failure of the service', async () => {
    const id = await startSession();
    let failures = 2;
    served.service.getRequestError = (route) =>
      route === `PATCH /v1/sessions/${id}` && failures-- > 0
        ? new FakeServiceError(failures === 1 ? 409 : 503, failures === 1 ? 'conflict' : 'service_unavailable')
        : undefined;
    await sendMessage(id, 'Fix the test');
    await waitForVersion(id, 2);
    expect(await readMetadata(id)).toMatchObject({ title: 'Fix the test' });
  });

  it('does not delay the end of the session while the service fails to store it', async () => {
    const id = await startSession();
    const failures: FakeServiceError[] = [];
    served.service.getRequestError = (_, body) => {
      if ('metadata' in body) failures.push(new FakeServiceError(503, 'service_unavailable'));
      return 'metadata' in body ? failures.at(-1) : undefined;
    };
    await sendMessage(id, 'Fix the test');
    await waitUntil(() => failures.length > 1);
    expect(await endSession(id)).toMatchObject({ ok: true, result: { state: 'ended' } });
    expect(findSession(id)).toMatchObject({ version: 1, state: 'ended' });
  });

  it('is what the agent calls it also if another message comes before it is written', async () => {
    const id = await startSession();
    served.service.getRequestError = (route) =>
      route === `PATCH /v1/sessions/${id}` ? new FakeServiceError(503, 'service_unavailable') : undefined;
    await sendMessage(id, 'Fix the test');
    agents.nameSession('Failing test');
    await sendMessage(id, 'Deploy');
    served.service.getRequestError = undefined;
    await endSession(id);
    expect(await readMetadata(id)).toMatchObject({ title: 'Failing test' });
  });
});

import { buildArtifactBinding, buildMessageBinding, openContent } from '@external-api/protocol';
import { AgentProcessPool } from '../agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { MemoryKeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import { createMessageRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let store: MemoryKeyStore;
let served: ServedMachine;

beforeAll(() => buildTestAgent(), 120_000);
beforeEach(async () => {
  store = new MemoryKeyStore();
  const agents = { commands: [createTestAgentCommand()], provider: new AgentProcessPool() };
  served = await ServedMachine.start({ store, agents });
});
afterEach(() => served.stop());

/** Sends a message, waits until its turn has ended, and returns the beginning of its artifacts' tags. */
async function runTurn(content: string): Promise<string> {
  const request = createMessageRequest(content);
  await served.service.callDevice(request);
  await waitUntil(() => served.service.agents.turns.get(request.requestId)?.state === 'completed', 30_000);
  return `ses_1/${request.requestId.replace('req_', 'turn_')}/`;
}

async function findDataKey() {
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  return dataKey!;
}

async function readTexts(role: string): Promise<string[]> {
  const dataKey = await findDataKey();
  const messages = served.service.messages.filter((message) => message.role === role);
  const opened = messages.map(async ({ localId, content }) => {
    const place = buildMessageBinding('acc_1', served.runner.identity.sessionTag, localId, role);
    return Buffer.from((await openContent(content, dataKey, place)).bytes).toString();
  });
  return Promise.all(opened);
}

async function readArtifacts() {
  const dataKey = await findDataKey();
  const opened = served.service.artifacts.map(async ({ tag, mediaType, content }) => {
    const { mediaType: sealedType, bytes } = await openContent(content, dataKey, buildArtifactBinding('acc_1', tag, 1));
    expect(sealedType).toBe(mediaType);
    return { tag, mediaType, text: Buffer.from(bytes).toString('latin1') };
  });
  // They are stored at the same time.
  return (await Promise.all(opened)).sort((a, b) => a.tag.localeCompare(b.tag));
}

it('stores pictures and files of messages, with types by content and names only where they are encrypted', async () => {
  const tags = await runTurn('say See \npicture plots/../chart.jpg\npicture\nfile notes/größe.md a ä\nsay !');
  expect(await readArtifacts()).toEqual([
    { tag: `${tags}1.png`, mediaType: 'image/png', text: expect.stringMatching(/^\x89PNG/) },
    { tag: `${tags}2.txt`, mediaType: 'text/plain; charset=utf-8', text: 'a Ã¤' },
  ]);
  expect(served.service.artifacts.map(({ sessionId }) => sessionId)).toEqual(['ses_1', 'ses_1']);
  expect(await readTexts('assistant')).toEqual([
    `See[chart.jpg](artifact:${tags}1.png)[file.png](artifact:${tags}1.png)[größe.md](artifact:${tags}2.txt)!`,
  ]);
}, 60_000);

it("stores the file of a tool's output once, however often the agent sends it", async () => {
  const tags = await runTurn('file-tool out.dat 6000000');
  expect(served.service.artifacts.map(({ tag }) => tag)).toEqual([`${tags}1.txt`]);
  const [call] = await readTexts('tool');
  expect(JSON.parse(call!)).toMatchObject({ output: `[out.dat](artifact:${tags}1.txt)`, status: 'completed' });
}, 60_000);

it('says in the history which files are too large or too many, and goes on', async () => {
  const files = Array.from({ length: 66 }, (_, index) => `file ${index}.txt text ${index}`);
  const tags = await runTurn(['file-tool big.dat 6000001', ...files, 'say Done.'].join('\n'));
  expect(served.service.artifacts).toHaveLength(64);
  const [call] = await readTexts('tool');
  expect(JSON.parse(call!)).toMatchObject({
    output: '[big.dat is missing here: it has 6000001 bytes, and may have 6000000.]',
  });
  const [text] = await readTexts('assistant');
  expect(text).toContain(`[63.txt](artifact:${tags}64.txt)[64.txt is missing here: a turn may have 64 files.]`);
  expect(text).toMatch(/\[65\.txt is missing here: a turn may have 64 files\.\]Done\.$/);
}, 60_000);

it('stores a file again under the same tag if the first answer is lost', async () => {
  const { push } = served.service.artifacts;
  let isLost = true;
  served.service.artifacts.push = (...artifacts) => {
    const count = push.apply(served.service.artifacts, artifacts);
    if (isLost) {
      isLost = false;
      throw new FakeServiceError(503, 'service_unavailable');
    }
    return count;
  };
  const tags = await runTurn('picture');
  expect(served.service.artifacts.map(({ tag }) => tag)).toEqual([`${tags}1.png`, `${tags}1.png`]);
}, 60_000);

it('says in the history and on the terminal why files are not stored, without their names', async () => {
  served.service.getRequestError = (route) =>
    route === 'POST /v1/artifacts' ? new FakeServiceError(403, 'plan_limit_exceeded') : undefined;
  await runTurn('picture secret.png');
  const [notice] = await readTexts('system');
  expect(notice).toMatch(/^Files of turn_\w+ are not stored: .*plan_limit_exceeded/);
  expect(served.events).toContainEqual({ event: 'agent', problem: notice });
  expect(JSON.stringify(served.events)).not.toContain('secret');
}, 60_000);

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { buildArtifactBinding, buildMessageBinding, openContent, type AttachmentParams } from '@external-api/protocol';
import { MemoryKeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createSessionRequest, createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { MemoryTurnJournal } from '../turns/turn-journal';

const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1').toString('base64');
const KEY = Buffer.from('ssh-ed25519 AAAA').toString('base64');
/** A picture that its sender calls a text, and a name that leads elsewhere. */
const HOSTILE: AttachmentParams[] = [
  { name: 'notes.txt', mediaType: 'text/plain', data: PICTURE },
  { name: '../../.ssh/authorized_keys', mediaType: 'image/png', data: KEY },
];

let store: MemoryKeyStore;
let journal: MemoryTurnJournal;
let agents: ScriptedAgents;
let served: ServedMachine;

beforeEach(async () => {
  store = new MemoryKeyStore();
  journal = new MemoryTurnJournal();
  store.openTurnJournal = () => journal;
  agents = new ScriptedAgents();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

const createRequest = (attachments: AttachmentParams[], content = 'Look.') =>
  createSessionRequest('session.message', { content, attachments, waitMs: 5_000 });
const send = (...attachments: AttachmentParams[]) => served.service.callDevice(createRequest(attachments));
const getTags = () => served.service.artifacts.map(({ tag }) => tag);

async function findDataKey() {
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  return dataKey!;
}

async function readUserMessages(): Promise<string[]> {
  const dataKey = await findDataKey();
  const messages = served.service.messages.filter(({ role }) => role === 'user');
  const opened = messages.map(async ({ localId, content }) => {
    const place = buildMessageBinding('acc_1', served.runner.identity.sessionTag, localId, 'user');
    return Buffer.from((await openContent(content, dataKey, place)).bytes).toString();
  });
  return Promise.all(opened);
}

/** Returns the paths that the last prompt names. */
const findPaths = (): string[] =>
  [...agents.prompts.at(-1)!.matchAll(/^Attached file: (.+)$/gm)].map(([, path]) => path!);

it('gives an agent what it announces to take, by content, and stores artifacts that the message names', async () => {
  const request = createRequest(HOSTILE);
  expect(await served.service.callDevice(request)).toMatchObject({ ok: true, result: { reply: 'Answer to Look.' } });
  expect(agents.blocks).toEqual([
    { type: 'image', mimeType: 'image/png', data: PICTURE },
    {
      type: 'resource',
      resource: { uri: 'attachment:///authorized_keys', mimeType: 'text/plain', text: 'ssh-ed25519 AAAA' },
    },
  ]);
  const tags = `ses_1/${request.requestId.replace('req_', 'turn_')}/message-`;
  // They are stored at the same time.
  const artifacts = [...served.service.artifacts].sort((one, other) => one.tag.localeCompare(other.tag));
  expect(artifacts).toMatchObject([
    { tag: `${tags}1.png`, sessionId: 'ses_1', mediaType: 'image/png' },
    { tag: `${tags}2.txt`, sessionId: 'ses_1', mediaType: 'text/plain; charset=utf-8' },
  ]);
  const [artifact] = artifacts;
  const place = buildArtifactBinding('acc_1', artifact!.tag, 1);
  const { bytes } = await openContent(artifact!.content, await findDataKey(), place);
  expect(Buffer.from(bytes).toString('base64')).toBe(PICTURE);
  expect(await readUserMessages()).toEqual([
    `Look.\n\n[notes.txt](artifact:${tags}1.png)\n[authorized_keys](artifact:${tags}2.txt)`,
  ]);
});

it('writes what the agent takes in no block to a folder of the session, and deletes it at the end', async () => {
  agents.promptCapabilities = { image: false, embeddedContext: false };
  const request = createStartRequest({ content: 'Look.', attachments: HOSTILE });
  expect(await served.service.callDevice(request)).toMatchObject({ ok: true, result: { sessionId: 'ses_2' } });
  const paths = findPaths();
  expect(paths.map((path) => basename(path))).toEqual(['1-notes.txt', '2-authorized_keys']);
  expect(new Set(paths.map((path) => dirname(path))).size).toBe(1);
  expect(paths.map((path) => readFileSync(path).toString('base64'))).toEqual([PICTURE, KEY]);
  for (const path of paths) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(paths[0]!)).mode & 0o777).toBe(0o700);
  expect(agents.blocks).toEqual([]);
  await served.service.callDevice({ ...createSessionRequest('session.end', {}), sessionId: 'ses_2' });
  expect(paths.filter((path) => existsSync(path))).toEqual([]);
});

it('writes long texts and blobs to the disk also for an agent that takes embedded content', async () => {
  const texts = [100_000, 100_001].map((bytes) => Buffer.alloc(bytes, 'a').toString('base64'));
  const blob = Buffer.from('%PDF-1.7').toString('base64');
  await send(...[...texts, blob].map((data) => ({ name: '', mediaType: null, data })));
  expect(agents.blocks).toMatchObject([{ type: 'resource', resource: { uri: 'attachment:///file.txt' } }]);
  expect(findPaths().map((path) => basename(path))).toEqual(['2-file.txt', '3-file.pdf']);
});

it('keeps files encrypted until the prompt, over a restart, and stores none twice', async () => {
  agents.blocked = new Promise(() => undefined);
  await served.service.callDevice(
    createSessionRequest('session.message', { content: 'Look.', attachments: HOSTILE, waitMs: 0 }),
  );
  const [waiting] = await journal.loadEntries();
  expect(waiting!.prompt).not.toBe('');
  expect(JSON.stringify(waiting)).not.toContain(PICTURE);
  await served.runner.stop();
  agents.blocked = undefined;
  served.runner = await served.machine.startServing();
  await waitUntil(() => agents.prompts.length === 1);
  expect(agents.blocks).toMatchObject([{ type: 'image', data: PICTURE }, { type: 'resource' }]);
  expect(new Set(getTags()).size).toBe(2);
  expect((await readUserMessages()).length).toBe(1);
  await waitUntil(() => [...served.service.agents.turns.values()].every(({ state }) => state === 'completed'));
  expect((await journal.loadEntries()).map(({ prompt }) => prompt)).toEqual(['']);
}, 20_000);

it('stores the same files of a repeated call once', async () => {
  const request = createRequest(HOSTILE);
  await Promise.all([served.service.callDevice(request), served.service.callDevice(request)]);
  await served.service.callDevice(request);
  expect(agents.prompts).toEqual(['Look.']);
  expect(getTags()).toHaveLength(2);
});

it('tells the reader which files the service does not take, and prompts the agent all the same', async () => {
  served.service.getRequestError = (route) =>
    route === 'POST /v1/artifacts' ? new FakeServiceError(403, 'plan_limit_exceeded') : undefined;
  expect(await send(...HOSTILE)).toMatchObject({ ok: true });
  expect(agents.blocks).toHaveLength(2);
  await waitUntil(() => served.service.messages.some(({ role }) => role === 'system'));
});

describe('an artifact', () => {
  beforeEach(() => send(HOSTILE[0]!));

  it('is read by the device, which stores it only once', async () => {
    const [tag] = getTags();
    agents.blocks.length = 0;
    expect(await send({ artifactId: 'art_1' })).toMatchObject({ ok: true });
    expect(agents.blocks).toEqual([{ type: 'image', mimeType: 'image/png', data: PICTURE }]);
    expect(getTags()).toEqual([tag]);
    expect((await readUserMessages()).at(-1)).toBe(`Look.\n\n[message-1.png](artifact:${tag})`);
  });

  it('is refused if the device can not read it, and begins no turn', async () => {
    served.service.getRequestError = (route) =>
      route === 'GET /v1/artifacts/art_8' ? new FakeServiceError(403, 'forbidden') : undefined;
    for (const artifactId of ['art_8', 'art_9'])
      expect(await send({ artifactId })).toMatchObject({
        ok: false,
        error: { code: 'attachment_unsupported', message: expect.stringContaining(artifactId) },
      });
    expect(agents.prompts).toHaveLength(1);
    expect(served.service.agents.turns.size).toBe(1);
  });

  it('is busy while the service does not answer', async () => {
    served.service.getRequestError = (route) =>
      route.startsWith('GET /v1/artifacts') ? new FakeServiceError(503, 'service_unavailable') : undefined;
    expect(await send({ artifactId: 'art_1' })).toMatchObject({ ok: false, error: { code: 'busy' } });
  });

  it('is busy for a start before there is a session, so that its tag can be used again', async () => {
    served.service.getRequestError = (route) =>
      route.startsWith('GET /v1/artifacts') ? new FakeServiceError(503, 'service_unavailable') : undefined;
    const params = { tag: 'again', content: 'Look.', attachments: [{ artifactId: 'art_1' }] };
    const refusal = await served.service.callDevice(createStartRequest(params));
    expect(refusal).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect(served.service.sessions.size).toBe(1);
    served.service.getRequestError = undefined;
    agents.blocks.length = 0;
    expect(await served.service.callDevice(createStartRequest(params))).toMatchObject({ ok: true });
    expect(agents.blocks).toEqual([{ type: 'image', mimeType: 'image/png', data: PICTURE }]);
  });

  it('is read again until the service answers, once its turn begins', async () => {
    let release!: () => void;
    agents.blocked = new Promise((resolve) => (release = resolve));
    agents.blocks.length = 0;
    const answer = send({ artifactId: 'art_1' });
    await waitUntil(() => agents.requests.length === 2);
    let refusals = 0;
    served.service.getRequestError = (route) =>
      route === 'GET /v1/artifacts/art_1' && ++refusals < 3
        ? new FakeServiceError(503, 'service_unavailable')
        : undefined;
    release();
    expect(await answer).toMatchObject({ result: { turn: { state: 'completed' } } });
    expect(agents.blocks).toEqual([{ type: 'image', mimeType: 'image/png', data: PICTURE }]);
  });

  describe('that the service does not send', () => {
    /** Resolves when the device asks for it. */
    const blockRequests = () =>
      new Promise<void>((resolve) => {
        served.service.delayRequest = (route) => {
          if (route !== 'GET /v1/artifacts/art_1') return undefined;
          resolve();
          return new Promise(() => undefined);
        };
      });

    it('is not waited for by a turn that is cancelled', async () => {
      let release!: () => void;
      agents.blocked = new Promise((resolve) => (release = resolve));
      const request = createRequest([{ artifactId: 'art_1' }]);
      const answer = served.service.callDevice(request);
      await waitUntil(() => agents.requests.length === 2);
      const asked = blockRequests();
      release();
      await asked;
      const turnId = request.requestId.replace('req_', 'turn_');
      const cancelled = await served.service.callDevice(createSessionRequest('session.cancel', { turnId }));
      expect(cancelled).toMatchObject({ ok: true, result: { state: 'cancelled' } });
      expect(await answer).toMatchObject({ result: { turn: { state: 'cancelled' } } });
    });

    it('is not waited for by a machine that stops', async () => {
      const asked = blockRequests();
      const answer = send({ artifactId: 'art_1' });
      await asked;
      await served.runner.stop();
      expect(await answer).toMatchObject({ ok: false, error: { code: 'busy' } });
    });
  });

  it('that is deleted before its turn fails it, which the history explains', async () => {
    let release!: () => void;
    agents.blocked = new Promise((resolve) => (release = resolve));
    const answer = send({ artifactId: 'art_1' });
    await waitUntil(() => agents.requests.length === 2);
    served.service.artifacts.length = 0;
    release();
    expect(await answer).toMatchObject({ result: { turn: { state: 'failed' } } });
    await waitUntil(() => served.service.messages.some(({ role }) => role === 'system'));
    expect(agents.prompts).toHaveLength(1);
  });
});

it('is never dropped in silence', async () => {
  const request = { ...createRequest(HOSTILE), sessionId: 'ses_9' };
  expect(await served.service.callDevice(request)).toMatchObject({
    ok: false,
    error: { code: 'attachment_unsupported' },
  });
  const invalid = [[{}], [{ name: 'a' }], 'text', Array.from({ length: 9 }, () => HOSTILE[0])];
  for (const attachments of invalid)
    expect(
      await served.service.callDevice(createSessionRequest('session.message', { content: 'x', attachments })),
    ).toMatchObject({
      ok: false,
    });
  expect(await send({ sealedContent: 'e30....' })).toMatchObject({ ok: false, error: { code: 'invalid_content' } });
  expect(agents.prompts).toEqual([]);
});

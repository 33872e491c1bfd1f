import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryKeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { MemoryTurnJournal } from '../turns/turn-journal';
import { WorkTreeSnapshot } from './work-tree-snapshot';
import { itWith } from '../../../../test/support/dependencies';

const itWithGit = itWith('git');
let folder: string;
let served: ServedMachine;
let agents: ScriptedAgents;
let journal: MemoryTurnJournal;
const createPatch = jest.spyOn(WorkTreeSnapshot.prototype, 'createPatch');
const deleteFiles = jest.spyOn(WorkTreeSnapshot.prototype, 'deleteFiles');

beforeEach(async () => {
  jest.clearAllMocks();
  folder = mkdtempSync(join(tmpdir(), 'patched-'));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const writeFile = () => writeFileSync(join(folder, 'new.txt'), 'new\n');
  agents = new ScriptedAgents({
    change: writeFile,
    work: () => {
      writeFile();
      return new Promise(() => undefined);
    },
  });
  const store = new MemoryKeyStore();
  journal = new MemoryTurnJournal();
  store.openTurnJournal = () => journal;
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ cwd: folder, store, agents: { commands: [command], provider: agents } });
});
afterEach(async () => {
  await served.stop();
  rmSync(folder, { recursive: true });
});

itWithGit('stores the changes of a turn as an artifact', async () => {
  const request = createMessageRequest('change');
  await served.service.callDevice(request);
  expect(served.service.artifacts).toMatchObject([
    { tag: `ses_1/${request.requestId.replace('req_', 'turn_')}.patch` },
  ]);
  expect(deleteFiles).toHaveBeenCalledTimes(1);
});

itWithGit('stores the changes of a turn whose agent is ready before the first connection', async () => {
  agents.blocked = new Promise(() => undefined);
  await served.service.callDevice(createSessionRequest('session.message', { content: 'change', waitMs: 0 }));
  await waitUntil(() => agents.requests.length === 1);
  await served.runner.stop();
  agents.blocked = undefined;
  // Without a time, a connection doesn't count.
  served.service.clockAheadMs = NaN;
  const starting = served.machine.startServing();
  await waitUntil(() => agents.requests.length === 2);
  served.service.clockAheadMs = 0;
  served.runner = await starting;
  await waitUntil(() => served.service.artifacts.length === 1);
});

itWithGit('stores no changes at a service that knows no turns', async () => {
  served.service.acceptedCapabilities = undefined;
  served.service.sockets.at(-1)!.disconnect(true);
  await waitUntil(() => served.connectedSockets === 1 && served.countEvents('connected') === 2);
  expect(await served.service.callDevice(createMessageRequest('change'))).toMatchObject({ ok: true });
  expect(agents.prompts).toEqual(['change']);
  expect([createPatch.mock.calls.length, served.service.artifacts]).toEqual([0, []]);
});

itWithGit('looks for no changes of a turn that was not prompted', async () => {
  journal.saveEntry = ({ isPrompted }) => (isPrompted ? Promise.reject(new Error('ENOSPC')) : Promise.resolve());
  expect(await served.service.callDevice(createMessageRequest('change'))).toMatchObject({
    result: { turn: { state: 'failed' } },
  });
  expect(agents.prompts).toEqual([]);
  expect([createPatch.mock.calls.length, deleteFiles.mock.calls.length]).toEqual([0, 1]);
});

itWithGit('says to reader and user why the changes are not captured', async () => {
  rmSync(join(folder, '.git', 'HEAD'));
  await served.service.callDevice(createMessageRequest('change'));
  const problem = expect.stringMatching(`^The changes of ${folder} are not captured: git rev-parse failed`);
  expect(served.events).toContainEqual({ event: 'agent', problem });
  await waitUntil(() => served.service.messages.some(({ role }) => role === 'system'));
});

itWithGit('says to reader and user why the changes are not stored', async () => {
  createPatch.mockRejectedValueOnce(new Error('The patch is too large.'));
  expect(await served.service.callDevice(createMessageRequest('change'))).toMatchObject({
    result: { turn: { state: 'completed' } },
  });
  const problem = expect.stringMatching(/^The changes of turn_\w+ are not stored: The patch is too large\.$/);
  expect(served.events).toContainEqual({ event: 'agent', problem });
  await waitUntil(() => served.service.messages.some(({ role }) => role === 'system'));
});

itWithGit('says so too if the service rejects them', async () => {
  served.service.artifacts.push = () => {
    throw new FakeServiceError(403, 'plan_limit_exceeded');
  };
  await served.service.callDevice(createMessageRequest('change'));
  expect(served.events).toContainEqual({ event: 'agent', problem: expect.stringContaining('are not stored') });
  await waitUntil(() => served.service.messages.some(({ role }) => role === 'system'));
});

itWithGit('looks for no changes while the device stops', async () => {
  await served.service.callDevice(createSessionRequest('session.message', { content: 'work', waitMs: 0 }));
  await waitUntil(() => agents.prompts.length === 1);
  await served.runner.stop();
  expect([createPatch.mock.calls.length, deleteFiles.mock.calls.length]).toEqual([0, 1]);
});

itWithGit(
  'ends the turn in time if the service cannot store them, and stores them later',
  async () => {
    let isUnavailable = true;
    const { push } = served.service.artifacts;
    served.service.artifacts.push = (...artifacts) => {
      if (isUnavailable) throw new TypeError('unavailable');
      return push.apply(served.service.artifacts, artifacts);
    };
    const request = createMessageRequest('change');
    await served.service.callDevice({ ...request, timeoutMs: 15_000, deadline: Date.now() + 20_000 });
    await waitUntil(() => served.service.agents.turns.get(request.requestId)?.state === 'completed', 20_000);
    expect(served.events).toContainEqual(
      expect.objectContaining({
        event: 'agent',
        problem: expect.stringContaining('wait until the service stores them'),
      }),
    );
    isUnavailable = false;
    await waitUntil(() => served.service.artifacts.length === 1, 60_000);
  },
  120_000,
);

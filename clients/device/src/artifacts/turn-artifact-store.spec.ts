import { randomBytes } from 'node:crypto';
import { addDataKey, createDeviceState } from '../device-state';
import { generateDeviceKeys } from '../keys';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import type { SignedInDevice } from '../signed-in-device';
import { TurnArtifactStore } from './turn-artifact-store';

const BYTES = Buffer.alloc(33 * 1024 * 1024);
const session = { hosted: { id: 'ses_1', tag: 'work' } } as HostedAgentSession;

it('holds no more than 64 MiB for the service, and takes more once that is stored', async () => {
  const state = createDeviceState('machine', 'http://localhost', generateDeviceKeys());
  const dataKey = { kid: 'k1', k: randomBytes(32).toString('base64url'), sealed: '' };
  addDataKey(state, 'work', dataKey);
  let answer: () => void = () => undefined;
  let answered = new Promise<void>((resolve) => (answer = resolve));
  const stored: string[] = [];
  const callApi = async (_method: string, _path: string, { tag, content }: { tag: string; content: string }) => {
    await answered;
    stored.push(tag);
    return { data: { content } };
  };
  const store = new TurnArtifactStore({
    device: { state, callApi } as unknown as SignedInDevice,
    closeSignal: new AbortController().signal,
    onProblem: () => undefined,
  });
  const put = (tag: string) => store.storeArtifact(session, { tag, mediaType: 'x/y', bytes: BYTES, subject: 'Files' });
  const first = put('first');
  await expect(put('second')).rejects.toThrow('Too many others wait for the service.');
  expect(store.waitingCount).toBe(1);
  answer();
  await first;
  answered = Promise.resolve();
  await put('third');
  expect([stored, store.waitingCount]).toEqual([['first', 'third'], 0]);
}, 60_000);

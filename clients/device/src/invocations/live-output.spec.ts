import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeInvocationId, MAX_LIVE_OUTPUT_BYTES } from '@external-api/protocol';
import { InvokingMachine } from '../testing/invoking-machine';
import { createInvokeRequest, waitUntil } from '../testing/served-machine';

/** Waits until a test lets it go on, so that the lease holds when it writes. */
const WAIT = 'until [ -e go ]; do sleep 0.02; done; ';

let machine: InvokingMachine;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'live-output-'));
  machine = await InvokingMachine.start({ cwd: folder });
});
afterEach(async () => {
  await machine.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a script with a lease of its output, and lets it write. */
async function startWatched(script: string, params: object = {}): Promise<string> {
  const requestId = await machine.startScript(WAIT + script, params);
  watch(requestId);
  await letWrite();
  return requestId;
}

const watch = (requestId: string, leaseMs?: number) =>
  machine.served.service.watch({ invocationId: computeInvocationId(requestId) }, leaseMs);
const getOutputs = (stream: string) => machine.served.service.outputs.filter((output) => output.stream === stream);
const getText = (stream: string) =>
  getOutputs(stream)
    .map(({ data }) => Buffer.from(data, 'base64').toString())
    .join('');

/** The device reads the lease before this call. */
async function letWrite(): Promise<void> {
  await machine.served.service.callDevice(createInvokeRequest('touch', ['go']));
}

it('sends what the command writes, at the offsets at which it can be read', async () => {
  const requestId = await startWatched('echo one; echo err >&2; sleep 0.3; printf zwei€');
  await machine.waitForEnd(requestId);
  await waitUntil(() => getText('stdout') === 'one\nzwei€' && getText('stderr') === 'err\n', 10_000);
  for (const { invocationId, stream, offset, data } of machine.served.service.outputs) {
    expect(invocationId).toBe(computeInvocationId(requestId));
    const limit = Buffer.from(data, 'base64').length;
    expect(await machine.readOutput(requestId, { stream, offset, limit })).toMatchObject({ offset, data });
  }
}, 60_000);

it.each([
  ['no lease', () => undefined],
  ['a lease that has ended', (requestId: string) => watch(requestId, -1)],
  ['a lease of another invocation', () => watch('req_other')],
])(
  'sends nothing with %s',
  async (_, prepare) => {
    const requestId = await machine.startScript(`${WAIT}echo unread`);
    prepare(requestId);
    await letWrite();
    await machine.waitForEnd(requestId);
    expect(machine.served.service.outputs).toEqual([]);
    expect((await machine.readOutput(requestId)).text).toBe('unread\n');
  },
  60_000,
);

it('stops with the connection, and begins with a new lease at what is written then', async () => {
  const requestId = await startWatched(
    `echo first; ${WAIT.replace('go', 'two')} echo second; ${WAIT.replace('go', 'three')} echo third`,
  );
  const { service } = machine.served;
  await waitUntil(() => getText('stdout') === 'first\n', 10_000);
  service.sockets.at(-1)!.disconnect(true);
  await waitUntil(() => service.sockets.length > 1 && machine.served.connectedSockets === 1, 10_000);
  await service.callDevice(createInvokeRequest('touch', ['two']));
  while ((await machine.readOutput(requestId)).text !== 'first\nsecond\n');
  watch(requestId);
  await service.callDevice(createInvokeRequest('touch', ['three']));
  await machine.waitForEnd(requestId);
  await waitUntil(() => getText('stdout') === 'first\nthird\n', 10_000);
  expect(getOutputs('stdout').map(({ offset }) => offset)).toEqual([0, 13]);
}, 60_000);

it('drops what exceeds the limit, up to the end, with little memory and without slowing the command', async () => {
  const bytes = 100_000_000;
  const before = process.memoryUsage().rss;
  let peak = before;
  const requestId = await startWatched(`yes 0123456789abcde | head -c ${bytes}`, { timeoutMs: 600_000 });
  for (; machine.getRecord(requestId).endedAt === null; await machine.readOutput(requestId, { limit: 1 }))
    peak = Math.max(peak, process.memoryUsage().rss);
  expect(machine.getRecord(requestId)).toMatchObject({ state: 'completed', stdoutBytes: bytes });
  const getEnd = () =>
    getOutputs('stdout').reduce((_, { offset, data }) => offset + Buffer.byteLength(data, 'base64'), 0);
  await waitUntil(() => getEnd() === bytes, 10_000);
  let end = 0;
  let received = 0;
  for (const { offset, data } of getOutputs('stdout')) {
    const text = Buffer.from(data, 'base64').toString();
    expect(offset).toBeGreaterThanOrEqual(end);
    expect(text.length).toBeLessThanOrEqual(MAX_LIVE_OUTPUT_BYTES);
    expect(text.startsWith('0123456789abcde\n'.slice(offset % 16))).toBe(true);
    end = offset + text.length;
    received += text.length;
  }
  expect(received).toBeLessThan(bytes);
  expect(peak - before).toBeLessThan(150_000_000);
}, 120_000);

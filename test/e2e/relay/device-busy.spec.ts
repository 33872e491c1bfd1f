import { NO_ANSWER } from '../../support/device/device-socket';
import { eventually } from '../../support/eventually';
import type { Answer } from '../../support/http-client';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

const CAP = 16;

describe('the in-flight cap of a device', () => {
  let scene: RelayScene;
  let machine: Machine;
  let release: () => void;

  beforeAll(async () => {
    scene = await RelayScene.start();
  });
  beforeEach(async () => {
    machine = await scene.machine();
    const released = new Promise<void>((resolve) => (release = resolve));
    machine.socket.answerWith(() => released.then(() => ({ ok: true, result: {} })));
  });
  afterEach(() => machine.socket.close());
  afterAll(() => scene?.stop());

  async function fill(body: object = {}, signal?: AbortSignal): Promise<Promise<Answer>[]> {
    const calls = Array.from({ length: CAP }, () => scene.invoke(machine.id, body, { signal }));
    await eventually(() => expect(machine.socket.requests).toHaveLength(CAP));
    return calls;
  }

  it('refuses the 17th with 429 device_busy, not delivered, and takes another after an answer', async () => {
    const calls = await fill();
    const answer = await scene.invoke(machine.id);
    expect(problem(answer, 429, 'device_busy').outcome).toBe('not_delivered');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    release();
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
    expect((await scene.invoke(machine.id)).status).toBe(200);
    expect(machine.socket.requests).toHaveLength(CAP + 1);
  });

  it('counts each device by itself', async () => {
    const other = await scene.machine();
    const calls = await fill();
    expect((await scene.invoke(other.id)).status).toBe(200);
    release();
    await Promise.all(calls);
    other.socket.close();
  });

  it('does not free a slot when the caller hangs up, but when the device answers', async () => {
    const hangUp = new AbortController();
    const calls = await fill({}, hangUp.signal);
    const ended = Promise.allSettled(calls);
    hangUp.abort();
    await ended;
    await eventually(() => expect(machine.socket.cancels).toHaveLength(CAP));
    problem(await scene.invoke(machine.id), 429, 'device_busy');
    release();
    await eventually(async () => expect((await scene.invoke(machine.id)).status).toBe(200));
  });

  it('frees a slot when the deadline has passed without an answer', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const calls = await fill({ timeoutMs: 1 });
    problem(await scene.invoke(machine.id), 429, 'device_busy');
    expect((await Promise.all(calls)).every(({ status }) => status === 504)).toBe(true);
    machine.socket.answerWith(() => ({ ok: true, result: {} }));
    expect((await scene.invoke(machine.id)).status).toBe(200);
  });

  it('frees the slots of a device that went away', async () => {
    const calls = await fill();
    machine.socket.close();
    expect((await Promise.all(calls)).every(({ status }) => status === 502)).toBe(true);
    machine.socket = await scene.connect(machine.device);
    expect((await scene.invoke(machine.id)).status).toBe(200);
  });
});

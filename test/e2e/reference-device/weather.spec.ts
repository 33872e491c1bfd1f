import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MachineDevice, MemoryKeyStore, type MachineEvent } from '@external-api/device';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { AgentFixture } from '../../support/agent-fixture';
import { describeWith } from '../../support/dependencies';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';

const TEN_MINUTES_MS = 600_000;
/** How long the network is away. With its short back-off, the device tries as often in it as else in ten minutes. */
const AWAY_MS = 3_000;
/** When the device gives up a request without an answer, in place of 30 s. A few may wait for one another. */
const ANSWER_MS = 5_000;
const RECOVERY_MS = 150_000;

const cut = (proxy: TcpProxy): Promise<void> => proxy.cutConnections();
const freeze = (proxy: TcpProxy): Promise<void> => Promise.resolve(proxy.blockTraffic());
const lose = (proxy: TcpProxy): Promise<void> => Promise.resolve(proxy.discardTraffic());

describeWith('git')('a machine whose network', () => {
  let fixture: AgentFixture;
  let proxy: TcpProxy;
  const sessionIds: string[] = [];
  let shiftMs = 0;

  beforeAll(async () => {
    const startProxy = async ({ url }: { url: string }) => {
      proxy = await TcpProxy.start(Number(new URL(url).port));
      return `http://127.0.0.1:${proxy.port}`;
    };
    // Redis, which instances with it take the time from, has a clock that a test can't advance.
    fixture = await AgentFixture.start('ada-in-the-rain', startProxy, { REDIS_URL: '' });
    execFileSync('git', ['init', '--quiet'], { cwd: fixture.folder });
    for (let n = 0; n < 2; n++) {
      const { sessionId } = (await fixture.startSession()).result;
      await fixture.ada.content.createKeyGrant(await fixture.ada.content.getSession(sessionId), {});
      sessionIds.push(sessionId);
    }
    const startTimer = setTimeout;
    const shorten = (ms: number) => (ms >= 30_000 && ms < 60_000 ? ANSWER_MS : ms);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((end, ms = 0) => startTimer(end, shorten(ms)));
    const realNow = { date: Date.now.bind(Date), performance: performance.now.bind(performance) };
    jest.spyOn(Date, 'now').mockImplementation(() => realNow.date() + shiftMs);
    jest.spyOn(performance, 'now').mockImplementation(() => realNow.performance() + shiftMs);
  });
  afterEach(() => proxy.restoreTraffic());
  afterAll(async () => {
    jest.restoreAllMocks();
    await fixture?.stop();
    await proxy?.cutConnections();
  });

  const release = (name: string) => writeFileSync(join(fixture.folder, name), '');
  const countConnections = () => fixture.machine.events.filter(({ event }) => event === 'connected').length;

  it.each([
    ['is cut for three seconds', cut, 0],
    ['is cut for ten minutes', cut, TEN_MINUTES_MS],
    ['is frozen for three seconds', freeze, 0],
    ['is frozen for ten minutes', freeze, TEN_MINUTES_MS],
    ['loses everything for ten minutes', lose, TEN_MINUTES_MS],
  ])(
    'stores what ends meanwhile, and asks what its agent asks: %s',
    async (name, disturb, durationMs) => {
      const id = name.replaceAll(' ', '-');
      const [working = '', asking = ''] = sessionIds;
      const { machineId } = fixture.machine.machineService.identity;
      const steps = ['say Before.', 'tool 1 passed', `wait-for ${id}.1`, 'say First.', 'tool 2 passed'];
      const prompt = [...steps, `wait-for ${id}.2`, `create ${id}.txt`, 'say Last.'].join('\n');
      const turn = (await fixture.sendMessage(working, prompt, 0)).result.turn;
      const question = (await fixture.sendMessage(asking, `wait-for ${id}.2\nask\nsay Allowed.`, 0)).result.turn;
      const script = `until [ -e ${id}.2 ]; do sleep 0.05; done; echo done`;
      const command = { command: 'sh', args: ['-c', script] };
      const invocation = expectStatus(await fixture.post(`/machines/${machineId}/invocations`, command), 202).data;
      await fixture.waitForTurn(working, turn.id, 'running');
      await fixture.waitForTurn(asking, question.id, 'running');
      const connectionCount = countConnections();

      await disturb(proxy);
      // The next call signs in.
      fixture.machine.machineService['dependencies'].device.clearToken();
      release(`${id}.1`);
      await sleep(AWAY_MS / 3);
      shiftMs += durationMs;
      release(`${id}.2`);
      await sleep((AWAY_MS * 2) / 3);
      await proxy.restoreTraffic();

      const path = `/sessions/${asking}/permission-requests`;
      const [request] = await waitFor(async () => {
        const pending = await fixture.get(`${path}?state=pending`);
        expect(pending).toHaveLength(1);
        return pending;
      }, RECOVERY_MS);
      await waitFor(async () => {
        expect(await fixture.get(`/sessions/${working}/turns/${turn.id}`)).toMatchObject({ state: 'completed' });
        const stored = await fixture.get(`/machines/${machineId}/invocations/${invocation.id}`);
        expect(stored).toMatchObject({ state: 'completed', exitCode: 0 });
        const artifacts: { tag: string }[] = await fixture.ada.content.listArtifacts();
        expect(artifacts.map(({ tag }) => tag)).toContain(`${working}/${turn.id}.patch`);
      }, RECOVERY_MS);
      const roles = ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'];
      expect(await fixture.readRoles(working, turn.id)).toEqual(roles);
      const { contentHash } = await fixture.get(`${path}/${request.id}/content`);
      await waitFor(async () => {
        const decision = { decision: 'allow', contentHash };
        expectStatus(await fixture.post(`${path}/${request.id}/decision`, decision), 200);
      }, RECOVERY_MS);
      await waitFor(async () => {
        expect(await fixture.get(`/sessions/${asking}/turns/${question.id}`)).toMatchObject({ state: 'completed' });
      }, RECOVERY_MS);
      if (disturb !== freeze) expect(countConnections()).toBeGreaterThan(connectionCount);
    },
    2 * RECOVERY_MS,
  );

  it.each([
    ['is cut', cut],
    ['is frozen', freeze],
  ])('starts, and pairs another one, by itself: %s', async (_, disturb) => {
    await fixture.machine.stop();
    const events: MachineEvent[] = [];
    const other = await MachineDevice.open({
      url: `http://127.0.0.1:${proxy.port}`,
      publicUrl: fixture.service.url,
      store: new MemoryKeyStore(),
      account: 'ada-in-the-rain',
      backoff: { baseMs: 50, maxMs: 200 },
      onEvent: (event) => events.push(event),
    });
    const paired = other.pairWithAccount({ pollIntervalMs: 20 });
    const pairing = await waitFor(() => {
      const found = events.find((event) => event.event === 'pairing');
      expect(found).toBeDefined();
      return found!;
    });
    await disturb(proxy);
    const started = fixture.machine.startServing();
    if (disturb === cut)
      await waitFor(() => expect(events).toContainEqual(expect.objectContaining({ event: 'waiting' })));
    await sleep(AWAY_MS);
    await fixture.ada.approveByFingerprint(pairing.code, pairing.fingerprint);
    await proxy.restoreTraffic();
    await Promise.all([started, paired]);
    expect(other.isPaired).toBe(true);
  });
});

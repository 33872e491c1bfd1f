import type { Answer, HttpClient } from '../support/http-client';
import { Cluster } from './support/cluster';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';
import { statuses } from './support/traffic';

const METADATA = 40;

/** The `X-RateLimit-*` headers as numbers. */
function rate({ headers }: Answer) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`)),
  );
  return { limit: limit!, remaining: remaining!, reset: reset! };
}

/** Of `limit + 1` answers of one window: one is refused, and each of the others was told another count. */
function expectExact(answers: Answer[], bucket: string, limit: number): void {
  const taken = answers.filter(({ status }) => status !== 429);
  const refused = answers.filter(({ status }) => status === 429);
  expect([taken.length, refused.length]).toEqual([limit, 1]);
  const counts = taken.map((answer) => rate(answer).remaining).sort((a, b) => a - b);
  expect(counts).toEqual(Array.from({ length: limit }, (_, n) => n));
  for (const answer of answers) {
    expect(answer.headers.get('ratelimit-policy')).toBe(`"${bucket}";q=${limit};w=60`);
    expect(rate(answer).limit).toBe(limit);
    expect(rate(answer).reset).toBeGreaterThan(50);
    expect(rate(answer).reset).toBeLessThanOrEqual(60);
  }
  expect(refused[0]!.body).toMatchObject({ code: 'rate_limited', bucket });
  expect(refused[0]!.headers.get('retry-after')).toBe(String(rate(refused[0]!).reset));
}

describe('rate limits over three instances', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    // Empty is unset: the relay bucket's default, 60.
    cluster = await Cluster.start({ env: { RATE_LIMIT_RELAY: '', RATE_LIMIT_METADATA: String(METADATA) } });
  });
  beforeEach(async () => {
    scene = await Scene.start(cluster);
  });
  afterEach(async () => {
    scene?.close();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  const ways: [name: string, via: (n: number) => HttpClient][] = [
    ['through the load balancer', () => cluster.http],
    ['straight to each in turn', (n) => cluster.instance(n % 3).http],
  ];

  it.each(ways)('let exactly 60 of 61 relayed calls at once be made, %s', async (_, via) => {
    // A device takes 16 calls at a time, and says 429 to more.
    const machines = await Promise.all(Array.from({ length: 6 }, (_, n) => scene.machine(cluster.instance(n % 3))));
    const calls = Array.from({ length: 61 }, (_, n) => scene.invoke(machines[n % machines.length]!.id, {}, {}, via(n)));
    const answers = await Promise.all(calls);
    expectExact(answers, 'relay', 60);
    expect(scene.executions.repeated).toEqual([]);
    expect(scene.executions.total).toBe(answers.filter(({ status }) => status === 200).length);
    expect(scene.executions.total).toBeGreaterThan(0);
  });

  it.each(ways)('let exactly so many of one more reads at once be made, %s', async (_, via) => {
    const calls = Array.from({ length: METADATA + 1 }, (_, n) => via(n).get('/external/v1/me', scene.token));
    const answers = await Promise.all(calls);
    expectExact(answers, 'metadata', METADATA);
    for (const answer of answers.filter(({ status }) => status === 200)) {
      expect(answer.body.meta.rateLimit).toEqual(rate(answer));
    }
  });

  it('are of the account, whichever of its tokens and instances a call comes with', async () => {
    const { token: second } = await scene.ada.createToken(['usage:read']);
    const calls = Array.from({ length: METADATA + 10 }, (_, n) =>
      cluster.instance(n % 3).http.get('/external/v1/me', n % 2 ? scene.token : second),
    );
    const answers = (await Promise.all(calls)).map((answer) => ({ answer }));
    expect(statuses(answers)).toEqual({ 200: METADATA, 429: 10 });
    const other = await Scene.start(cluster);
    expect((await cluster.http.get('/external/v1/me', other.token)).status).toBe(200);
  });
});

import { ForeignDevice } from '../support/device/foreign-device';
import type { HttpResponse, HttpClient } from '../support/http-client';
import { Cluster } from './support/cluster';
import type { RedisKind } from './support/cluster-redis';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses } from './support/traffic-generator';

const METADATA = 40;

/** The `X-RateLimit-*` headers as numbers. */
function rate({ headers }: HttpResponse) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`)),
  );
  return { limit: limit!, remaining: remaining!, reset: reset! };
}

/** Expects one 429 among `limit + 1` responses of one window, and different remaining counts in the others. */
function expectExact(answers: HttpResponse[], bucket: string, limit: number): void {
  // A call that failed before it was counted, as without the database, would be one of too many.
  expect(answers.filter(({ headers }) => !headers.has('x-ratelimit-limit')).map(({ body }) => body)).toEqual([]);
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

const REDIS_KINDS: [name: string, redis: RedisKind][] = [
  ['one Redis', 'own'],
  ['a Redis Cluster', 'cluster'],
];

describe.each(REDIS_KINDS)('rate limits over three instances on %s', (_name, redis) => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    // An empty variable counts as unset, so the relay bucket has its default of 60.
    cluster = await Cluster.start({ redis, env: { RATE_LIMIT_RELAY: '', RATE_LIMIT_METADATA: String(METADATA) } });
  });
  beforeEach(async () => {
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture?.close();
    await expectNoLeaks(cluster);
  });
  afterAll(() => cluster?.stop());

  /** Returns how many calls instances have counted on their own, because Redis did not answer within half a second. */
  const countFallbacks = async (): Promise<number> => {
    const counts = await Promise.all(cluster.instances.map((each) => each.sumMetric('rate_limit_fallback_total')));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  const ways: [name: string, via: (n: number) => HttpClient][] = [
    ['through the load balancer', () => cluster.http],
    ['straight to each in turn', (n) => cluster.getInstance(n % 3).http],
  ];

  it.each(ways)('let exactly 60 of 61 relayed calls at once be made, %s', async (_, via) => {
    // A device accepts 16 concurrent calls; more get 429.
    const machines = await Promise.all(
      Array.from({ length: 6 }, (_, n) => clusterFixture.createMachine(cluster.getInstance(n % 3))),
    );
    const fallbacks = await countFallbacks();
    const calls = Array.from({ length: 61 }, (_, n) =>
      clusterFixture.invokeMachine(machines[n % machines.length]!.id, {}, {}, via(n)),
    );
    const answers = await Promise.all(calls);
    expect(await countFallbacks()).toBe(fallbacks);
    expectExact(answers, 'relay', 60);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
    const answered = answers.filter(({ status }) => status === 200).length;
    const unknown = answers.filter(({ body }) => body.outcome === 'unknown').length;
    expect(answered).toBeGreaterThan(0);
    // A call whose answer is late on a busy machine has run all the same.
    expect(clusterFixture.executionRecorder.totalCount).toBeGreaterThanOrEqual(answered);
    expect(clusterFixture.executionRecorder.totalCount).toBeLessThanOrEqual(answered + unknown);
  });

  it.each(ways)('let exactly so many of one more reads at once be made, %s', async (_, via) => {
    const calls = Array.from({ length: METADATA + 1 }, (_, n) => via(n).get('/external/v1/me', clusterFixture.token));
    const answers = await Promise.all(calls);
    expectExact(answers, 'metadata', METADATA);
    for (const answer of answers.filter(({ status }) => status === 200)) {
      expect(answer.body.meta.rateLimit).toEqual(rate(answer));
    }
  });

  it('allow exactly 10 of 600 concurrent pairing codes of one account', async () => {
    const { token } = clusterFixture.ada;
    const guesses = Array.from({ length: 600 }, (_, n) =>
      cluster.getInstance(n % 3).http.get(`/v1/pairings/code/ABCD-2345`, token),
    );
    const answers = await Promise.all(guesses);
    const { 404: lookedUp = 0, ...others } = countStatuses(answers.map((answer) => ({ answer })));
    expect(others).toEqual({ 429: 600 - lookedUp });
    const countedLocally = await countFallbacks();
    expect(lookedUp).toBeGreaterThanOrEqual(10);
    expect(lookedUp).toBeLessThanOrEqual(countedLocally === 0 ? 10 : 10 + 10 * cluster.instances.length);
    const buckets = new Set(answers.map(({ body }) => body.bucket));
    expect(buckets).not.toContain('address');
    const { code } = await new ForeignDevice(cluster.http).requestPairing('machine');
    const late = await cluster.http.get(`/v1/pairings/code/${code}`, token);
    expect(late.body).toMatchObject({ code: 'rate_limited', bucket: 'pairing-lock' });
  });

  it('count per account, across tokens and instances', async () => {
    const { token: second } = await clusterFixture.ada.createToken(['usage:read']);
    const calls = Array.from({ length: METADATA + 10 }, (_, n) =>
      cluster.getInstance(n % 3).http.get('/external/v1/me', n % 2 ? clusterFixture.token : second),
    );
    const answers = (await Promise.all(calls)).map((answer) => ({ answer }));
    expect(countStatuses(answers)).toEqual({ 200: METADATA, 429: 10 });
    const other = await ClusterFixture.start(cluster);
    expect((await cluster.http.get('/external/v1/me', other.token)).status).toBe(200);
  });
});

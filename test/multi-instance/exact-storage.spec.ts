import { SessionBodyBuilder } from '../support/device/session-body-builder';
import type { HttpResponse } from '../support/http-client';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses } from './support/traffic-generator';

const AT_ONCE = 30;

describe('the storage of an account over three instances', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start();
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterAll(async () => {
    clusterFixture?.close();
    await cluster?.stop();
  });

  const limit = (limits: object) =>
    cluster.testDatabase.query('UPDATE accounts SET limits = $2 WHERE id = $1', [
      clusterFixture.ada.accountId,
      JSON.stringify(limits),
    ]);
  const statusesOf = async (call: (n: number) => Promise<HttpResponse>) => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => call(n)));
    return countStatuses(answers.map((answer) => ({ answer })));
  };

  it('stays within its quota during concurrent writes', async () => {
    const create = (n: number) => {
      const body = new SessionBodyBuilder(clusterFixture.ada).buildCreateBodyOfSize(20_000);
      return cluster.getInstance(n % 3).http.post('/v1/sessions', clusterFixture.ada.token, body);
    };
    expect((await create(0)).status).toBe(201);
    const [{ one }] = (await cluster.testDatabase.query('SELECT storage_bytes AS one FROM accounts')) as [
      { one: string },
    ];
    await limit({ maxStorageBytes: Number(one) * 10 + 1_000 });
    expect(await statusesOf(create)).toEqual({ 201: 9, 403: AT_ONCE - 9 });
  });

  it('stays within the limit of stored responses for concurrent calls', async () => {
    const output = 'x'.repeat(20_000);
    const machines = await Promise.all(
      [0, 1, 2].map((n) =>
        clusterFixture.createMachine(cluster.getInstance(n), () => ({
          ok: true,
          result: { stdout: output },
        })),
      ),
    );
    await limit({ maxKeptAnswerBytes: 105_000 });
    const invoke = (n: number) => {
      const options = { headers: { 'Idempotency-Key': `key-${n}` } };
      return clusterFixture.invokeMachine(machines[n % 3]!.id, {}, options, cluster.getInstance((n + 1) % 3).http);
    };
    // The cached look-up of the token may be half a second old.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await statusesOf(invoke)).toEqual({ 200: AT_ONCE });
    expect(await statusesOf(invoke)).toEqual({ 200: 5, 409: AT_ONCE - 5 });
    expect(clusterFixture.executionRecorder.totalCount).toBe(AT_ONCE);
  });
});

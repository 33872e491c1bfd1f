import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CertificateAuthority } from '../support/certificates';
import { describeWith } from '../support/dependencies';
import { RedisCluster } from '../support/redis-cluster';
import { createTempFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { Cluster, FAST_SHUTDOWN } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { countStatuses } from './support/traffic-generator';

const METADATA = 60;

/** Their certificates are for a name, and nodes announce themselves by it, as managed clusters do. */
describeWith('openssl')('instances on a Redis Cluster with TLS', () => {
  let nodes: RedisCluster;
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    const folder = createTempFolder();
    const authority = new CertificateAuthority(folder, 'authority');
    const issued = authority.issueCertificate('redis', 'DNS:localhost');
    const writeFile = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    const ca = writeFile('ca.crt', authority.certificate);
    nodes = await RedisCluster.start({
      cert: writeFile('redis.crt', issued.cert),
      key: writeFile('redis.key', issued.key),
      ca,
    });
    const env = { ...FAST_SHUTDOWN, RATE_LIMIT_METADATA: String(METADATA), NODE_EXTRA_CA_CERTS: ca };
    cluster = await Cluster.start({ instances: 2, redis: nodes, env });
    clusterFixture = await ClusterFixture.start(cluster);
  }, 120_000);
  afterAll(async () => {
    clusterFixture?.close();
    await cluster?.stop();
    await nodes?.remove();
  });

  const isReady = async ({ http }: Instance): Promise<boolean> => {
    const headers = { 'X-Require-Redis': 'true' };
    return (await http.get('/health/ready', undefined, { headers })).status === 200;
  };

  /** Expects that both instances receive change signals from the current master of their channel. */
  const expectSubscribed = async () => {
    const master = await nodes.findMaster('changes');
    expect(await master.call('PUBSUB', 'SHARDNUMSUB', 'changes')).toEqual(['changes', 2]);
  };

  /** Expects that both instances reach the machine, which is connected to one of them. */
  const expectCallable = async (machineId: string) => {
    for (const { http } of cluster.instances) {
      expect((await clusterFixture.invokeMachine(machineId, {}, {}, http)).status).toBe(200);
    }
  };

  it('count exactly, and relay calls to each other', async () => {
    const calls = Array.from({ length: METADATA + 10 }, async (_, n) => {
      return { answer: await cluster.getInstance(n % 2).http.get('/external/v1/me', clusterFixture.token) };
    });
    expect(countStatuses(await Promise.all(calls))).toEqual({ 200: METADATA, 429: 10 });
    for (const instance of cluster.instances) expect(await instance.sumMetric('rate_limit_fallback_total')).toBe(0);
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    await expectCallable(machine.id);
    await expectSubscribed();
  });

  it('subscribe again and relay calls after a planned failover, and after the loss of a master', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(1));
    await nodes.switchMaster('changes');
    await waitFor(expectSubscribed, 10_000);
    await waitFor(() => expectCallable(machine.id), 10_000);
    for (const key of ['changes', `relay:presence:{${clusterFixture.ada.accountId}}`]) {
      const master = await nodes.findMaster(key);
      await master.kill();
      await waitFor(async () => {
        expect((await nodes.findMaster(key)).port).not.toBe(master.port);
        await expectSubscribed();
        await expectCallable(machine.id);
      }, 30_000);
      await nodes.startMissing();
    }
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
    clusterFixture.close();
    await expectNoLeaks(cluster);
  }, 120_000);

  it('do not connect to nodes whose authority they do not trust', async () => {
    const instance = cluster.getInstance(0);
    expect(await isReady(instance)).toBe(true);
    await instance.restartProcess({ NODE_EXTRA_CA_CERTS: '' });
    expect(await isReady(instance)).toBe(false);
    const refusals = () => instance.log.filter(({ reason }) => /certificate/.test(String(reason)));
    await waitFor(() => expect(refusals()).not.toEqual([]));
  });
});

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Redis } from 'ioredis';
import { findFreePort } from './find-free-port';
import { waitFor } from './wait-for';

export const MASTERS = 3;
const SLOTS = 16_384;
/** Silence after which the others replace a master by its replica. */
const NODE_TIMEOUT_MS = 1_000;

/** Paths of the certificate of `localhost`, its key and its authority. */
export interface NodeTlsFiles {
  cert: string;
  key: string;
  ca: string;
}

/** One `redis-server` of a cluster. */
export class ClusterNode {
  id = '';
  private child: ChildProcess | null = null;
  readonly redis: Redis;

  constructor(
    readonly port: number,
    private readonly busPort: number,
    private readonly folder: string,
    /** Port and files of TLS, which the other nodes and the service then use. The test itself doesn't. */
    private readonly tls: { port: number; files: NodeTlsFiles } | null,
  ) {
    const options = { lazyConnect: true, retryStrategy: () => 50, enableOfflineQueue: false };
    this.redis = new Redis(port, '127.0.0.1', { ...options, maxRetriesPerRequest: null });
    this.redis.on('error', () => undefined);
  }

  async start(): Promise<void> {
    const options = {
      port: this.port,
      bind: '127.0.0.1',
      save: '',
      appendonly: 'no',
      dir: this.folder,
      'cluster-enabled': 'yes',
      'cluster-port': this.busPort,
      'cluster-config-file': `nodes-${this.port}.conf`,
      'cluster-node-timeout': NODE_TIMEOUT_MS,
      // The loss of a master affects only its own slots, as docs/production.md recommends.
      'cluster-require-full-coverage': 'no',
      // A replica may replace its master however old its data is.
      'cluster-replica-validity-factor': 0,
      'repl-diskless-sync-delay': 0,
      ...(this.tls && buildTlsOptions(this.tls.port, this.tls.files)),
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.child = spawn('redis-server', args, { stdio: 'ignore' });
    if (this.redis.status === 'wait') await this.redis.connect().catch(() => undefined);
    await waitFor(async () => expect(await this.redis.ping()).toBe('PONG'), 10_000);
    this.id = await this.redis.cluster('MYID');
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Freezes the process: its connections stay open without answers. */
  suspend(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  get isRunning(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  call(...args: [string, ...(string | number)[]]): Promise<unknown> {
    return this.redis.call(...args);
  }

  /** Port for the service and for other nodes. */
  get servicePort(): number {
    return this.tls?.port ?? this.port;
  }

  /** Meets another node of the cluster, by the port of the cluster bus. */
  meet(other: ClusterNode): Promise<unknown> {
    return this.call('CLUSTER', 'MEET', '127.0.0.1', other.servicePort, other.busPort);
  }
}

/** A Redis Cluster of three masters with a replica each, which belongs to one test. */
export class RedisCluster {
  private constructor(
    private readonly folder: string,
    readonly nodes: readonly ClusterNode[],
    private readonly hasTls: boolean,
  ) {}

  /** @param tlsFiles files for nodes with TLS, which then are called `localhost` */
  static async start(tlsFiles?: NodeTlsFiles): Promise<RedisCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'external-api-redis-'));
    const nodes: ClusterNode[] = [];
    for (let n = 0; n < 2 * MASTERS; n++) {
      const tls = tlsFiles ? { port: await findFreePort(), files: tlsFiles } : null;
      nodes.push(new ClusterNode(await findFreePort(), await findFreePort(), folder, tls));
    }
    const cluster = new RedisCluster(folder, nodes, tlsFiles !== undefined);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await cluster.form();
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  /** Names the masters at the start. */
  get url(): string {
    const [scheme, host] = this.hasTls ? ['rediss+cluster', 'localhost'] : ['redis+cluster', '127.0.0.1'];
    const hosts = this.nodes.slice(0, MASTERS).map(({ servicePort }) => `${host}:${servicePort}`);
    return `${scheme}://${hosts.join()}`;
  }

  /** Kills all nodes and deletes their files. */
  async remove(): Promise<void> {
    for (const node of this.nodes) node.redis.disconnect();
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.folder, { recursive: true });
  }

  /** Returns all keys, sorted. */
  async listKeys(): Promise<string[]> {
    const masters = await this.listMasters();
    return (await Promise.all(masters.map(({ redis }) => redis.keys('*')))).flat().sort();
  }

  /** Returns the master that has the key or channel. */
  async findMaster(key: string): Promise<ClusterNode> {
    return this.findMasterOfSlot(computeSlot(key));
  }

  /** Starts the nodes that were killed. */
  async startMissing(): Promise<void> {
    await Promise.all(this.nodes.filter(({ isRunning }) => !isRunning).map((node) => node.start()));
    await this.waitUntilHealthy();
  }

  /** Waits until the cluster serves all slots and each master has a connected replica. */
  async waitUntilHealthy(): Promise<void> {
    await waitFor(async () => {
      for (const node of this.nodes) {
        expect(await node.redis.cluster('INFO')).toContain('cluster_state:ok');
        const info = await node.redis.info('replication');
        expect(info).toMatch(/role:master[^]*connected_slaves:1|master_link_status:up/);
      }
    }, 30_000);
  }

  /** Lets a replica take over from the master of this key, which then is its replica. Nothing is lost. */
  async switchMaster(key: string): Promise<void> {
    const master = await this.findMaster(key);
    const replica = await this.findReplica(master);
    // Masters may refuse their votes soon after another failover, and the replica gives up after five seconds.
    await waitFor(async () => {
      // Fails if the replica has become the master late.
      await replica.call('CLUSTER', 'FAILOVER').catch(() => undefined);
      await waitFor(async () => expect((await this.findMaster(key)).port).toBe(replica.port), 6_000);
    }, 25_000);
  }

  /**
   * Moves the slot of the key to another master, with the steps of `redis-cli --cluster reshard`.
   * @param whileMoving runs when the keys are at their new node and the slot is not yet
   * @param beforeSourceKnows runs when all masters but the old one know the new one
   */
  async moveSlot(
    key: string,
    whileMoving: () => Promise<unknown> = () => Promise.resolve(),
    beforeSourceKnows: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const slot = computeSlot(key);
    const source = await this.findMasterOfSlot(slot);
    const masters = await this.listMasters();
    const target = masters[(masters.indexOf(source) + 1) % masters.length]!;
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    for (;;) {
      const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) break;
      await source.call('MIGRATE', '127.0.0.1', target.servicePort, '', 0, 5_000, 'KEYS', ...keys);
    }
    await whileMoving();
    const others = masters.filter((node) => node !== target && node !== source);
    for (const node of [target, ...others]) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
    await beforeSourceKnows();
    await source.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
  }

  /** Asks each master for its own slots: replicas, and masters that were away, learn of a moved slot later. */
  private async findMasterOfSlot(slot: number): Promise<ClusterNode> {
    for (const node of await this.listMasters()) {
      const ranges = await node.redis.cluster('SLOTS');
      const own = ranges.filter(([, , master]) => master?.[1] === node.port);
      if (own.some(([first, last]) => first <= slot && slot <= last)) return node;
    }
    throw new Error(`No master has the slot ${slot}.`);
  }

  async listMasters(): Promise<ClusterNode[]> {
    const masters: ClusterNode[] = [];
    for (const node of this.nodes.filter(({ isRunning }) => isRunning)) {
      if (((await node.call('ROLE')) as string[])[0] === 'master') masters.push(node);
    }
    return masters;
  }

  /** Returns the replica of a master, which learns of a new one a moment after it is connected. */
  findReplica(master: ClusterNode): Promise<ClusterNode> {
    return waitFor(async () => {
      const replicas = (await master.call('CLUSTER', 'REPLICAS', master.id)) as string[];
      const replica = this.nodes.find(({ id }) => replicas[0]?.startsWith(id));
      expect(replica).toBeDefined();
      return replica!;
    });
  }

  private async form(): Promise<void> {
    const masters = this.nodes.slice(0, MASTERS);
    for (const [n, master] of masters.entries()) {
      const [first, end] = [n, n + 1].map((each) => Math.floor((each * SLOTS) / MASTERS)) as [number, number];
      await master.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
      await master.call('CLUSTER', 'ADDSLOTSRANGE', first, end - 1);
    }
    for (const node of this.nodes.slice(1)) await node.meet(this.nodes[0]!);
    await waitFor(async () => {
      for (const node of this.nodes) {
        expect(await node.redis.cluster('INFO')).toMatch(/cluster_state:ok[^]*cluster_known_nodes:6/);
      }
    }, 20_000);
    for (const [n, master] of masters.entries()) {
      await this.nodes[MASTERS + n]!.call('CLUSTER', 'REPLICATE', master.id);
    }
    await this.waitUntilHealthy();
  }
}

/** Clients find the nodes by their name, as with managed clusters, and have no certificates. */
function buildTlsOptions(port: number, { cert, key, ca }: NodeTlsFiles): Record<string, string | number> {
  return {
    'tls-port': port,
    'tls-cert-file': cert,
    'tls-key-file': key,
    'tls-ca-cert-file': ca,
    'tls-auth-clients': 'no',
    'tls-cluster': 'yes',
    'tls-replication': 'yes',
    'cluster-announce-hostname': 'localhost',
    'cluster-preferred-endpoint-type': 'hostname',
  };
}

function computeSlot(key: string): number {
  return new Command('get', [key]).getSlot();
}

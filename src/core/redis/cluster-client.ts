import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Command, type ClusterNode, type ClusterOptions, type Redis } from 'ioredis';

type SendCommand = Cluster['sendCommand'];

const SUCCESSOR_CHECK_INTERVAL_MS = 200;
/** For so long after a loss, the client looks for successors. A replica usually takes over in a few seconds. */
const SUCCESSOR_SEARCH_MS = 30_000;

/**
 * Client of a Redis Cluster. It follows redirects, after which a command has not run, and never sends a command again
 * that may have run. A command for a slot that the cluster does not serve fails at once. Emits `topologyChange` when
 * slots have moved to other masters or a node was lost, after which keys may be lost and subscriptions may be at the
 * wrong node.
 */
export class ClusterClient extends Cluster {
  private mastersOfSlots = '';
  /** Host and port of lost nodes, which may be masters. */
  private readonly lostNodes = new Set<string>();
  private searchEndsAt = 0;
  private isSearching = false;

  constructor(startupNodes: ClusterNode[], options: ClusterOptions) {
    super(startupNodes, options as { redisOptions?: { replyMapping?: 'legacy' } });
    this.on('refresh', () => this.compareMasters());
    this.on('-node', ({ options: { host, port } }: Redis) => {
      this.emit('topologyChange');
      this.lostNodes.add(`${host}:${port}`);
      this.searchEndsAt = performance.now() + SUCCESSOR_SEARCH_MS;
      void this.awaitSuccessors();
    });
  }

  /** Fails at once without a connection. The queue of the client would only delay the callers. */
  override sendCommand(...[command, ...more]: Parameters<SendCommand>): ReturnType<SendCommand> {
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(command, ...more);
    command.reject(new Error("The cluster isn't writeable: there is no connection."));
    return command.promise;
  }

  /** Returns host and port of the master that has the key or channel, or an empty string if it is not known. */
  findMaster(key: string): string {
    return this.slots[new Command('get', [key]).getSlot()]?.[0] ?? '';
  }

  /** Returns the connection to the master that has the key or channel, if there is one. */
  findMasterConnection(key: string): Redis | undefined {
    const master = this.findMaster(key);
    return this.nodes('all').find(({ options: { host, port } }) => `${host}:${port}` === master);
  }

  /** Asks the cluster which node has which slots. Resolves without an answer, too. */
  refreshSlots(): Promise<void> {
    return new Promise((resolve) => this.refreshSlotsCache(() => resolve()));
  }

  /**
   * Asks the cluster often until every lost master has a successor or is connected again. The client itself asks every
   * few seconds, and after a redirect, which a lost master does not send.
   */
  private async awaitSuccessors(): Promise<void> {
    if (this.isSearching) return;
    this.isSearching = true;
    while (this.status === 'ready' && performance.now() < this.searchEndsAt && this.hasLostMaster()) {
      await sleep(SUCCESSOR_CHECK_INTERVAL_MS, undefined, { ref: false });
      await this.refreshSlots();
    }
    this.lostNodes.clear();
    this.isSearching = false;
  }

  private hasLostMaster(): boolean {
    const masters = new Set(this.slots.map(([master]) => master));
    const connections = this.nodes('all').filter(({ status }) => status === 'ready');
    const connected = new Set(connections.map(({ options: { host, port } }) => `${host}:${port}`));
    return [...this.lostNodes].some((node) => masters.has(node) && !connected.has(node));
  }

  private compareMasters(): void {
    const mastersOfSlots = this.slots.map((nodes) => nodes[0]).join();
    if (mastersOfSlots === this.mastersOfSlots) return;
    const isFirst = this.mastersOfSlots === '';
    this.mastersOfSlots = mastersOfSlots;
    if (!isFirst) this.emit('topologyChange');
  }
}

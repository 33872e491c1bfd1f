import type { Socket } from 'node:net';
import type { Redis, RedisOptions } from 'ioredis';
import { ClusterClient } from './cluster-client';
import { NodeConnector } from './node-connector';
import { openRedisConnection } from './open-redis';
import type { RedisClient } from './redis-client';

const CONNECTION_OPTIONS: RedisOptions = {
  lazyConnect: true,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
};

/** Subscription to one channel. In a cluster, its connection is to the master that has the slot of the channel. */
export class Subscriber {
  readonly connection: Redis;

  /** @param client client of the same Redis, which knows the nodes of a cluster */
  constructor(
    url: string,
    private readonly client: RedisClient,
    readonly channel: string,
    onMessage: (message: string) => void,
  ) {
    const isSharded = client instanceof ClusterClient;
    const options = isSharded ? createConnectorOptions(client, channel) : {};
    this.connection = openRedisConnection(url, { ...CONNECTION_OPTIONS, ...options });
    this.connection.on(isSharded ? 'smessage' : 'message', (_channel: string, message: string) => onMessage(message));
  }

  /** Whether the connection is to another node than the one that has the channel now, as after a failover. */
  get isMisplaced(): boolean {
    if (!(this.client instanceof ClusterClient)) return false;
    const { host, port } = this.connection.options;
    const master = this.client.findMaster(this.channel);
    return master !== '' && master !== `${host}:${port}`;
  }

  async subscribe(): Promise<void> {
    if (this.client instanceof ClusterClient) await this.connection.ssubscribe(this.channel);
    else await this.connection.subscribe(this.channel);
  }

  /** Resolves when all messages that were published before have been handled. */
  async receivePublished(): Promise<void> {
    // Its reply comes after them on the same connection.
    await this.connection.ping();
  }

  /** Destroys the stream. `disconnect` would wait for the peer to close, which it may never do. */
  reconnect(): void {
    const { stream } = this.connection as { stream?: Redis['stream'] };
    stream?.destroy();
  }
}

/** Returns options of a connection that finds the master of the channel each time that it connects. */
function createConnectorOptions(client: ClusterClient, channel: string): RedisOptions {
  class MasterConnector extends NodeConnector {
    override async connect(): Promise<Socket> {
      this.connecting = true;
      await client.refreshSlots();
      if (!this.connecting) throw new Error('Connection is closed.');
      const master = client.findMaster(channel);
      const portStart = master.lastIndexOf(':');
      // Without an answer of the cluster, the connection is to the node that the options name, and moves later.
      if (master) Object.assign(this.options, { host: master.slice(0, portStart), port: +master.slice(portStart + 1) });
      return this.openStream();
    }
  }
  return { Connector: MasterConnector as unknown as NonNullable<RedisOptions['Connector']> };
}

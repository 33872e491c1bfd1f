import { Logger } from '@nestjs/common';
import { DatabaseError, type Client, type ClientBase, type ClientConfig } from 'pg';
import { PeriodicTask } from '../../common/periodic-task';
import { applyConnectionSettings, terminateBackends, type PostgresBackend } from './connection-settings';
import { DatabaseConnectionError, isDatabaseUnavailable, READ_ONLY_SQLSTATE } from './database-unavailable';
import { getProtocol, getSocket, PostgresClient } from './postgres-client';

const CHECK_INTERVAL_MS = 1_000;
/** Time after which an unanswered statement is checked. */
const SUSPECT_AFTER_MS = 5_000;
/** Timeout of the probe's connection attempt and of each of its queries. */
const PROBE_TIMEOUT_MS = 3_000;
/** Timeout for connections whose backend is unknown, as behind a pooler: longer than the longest statement timeout. */
const UNVERIFIABLE_TIMEOUT_MS = 5 * 60_000;

/** Selects the backends that are active, or were within two seconds: their responses may still arrive. */
const ACTIVE_BACKENDS_SQL = `
  SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
     AND (state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'
          OR state_change > clock_timestamp() - interval '2 seconds')`;

/** Thrown behind a pooler if the role or database has other defaults than statements need. */
class PooledSettingsError extends Error {
  constructor(settings: readonly string[]) {
    const acts = settings.map((setting) => `ALTER ROLE … SET ${setting}`);
    super(`behind a pooler, its role needs other settings. Run on PostgreSQL: ${acts.join('; ')}`);
  }
}

interface MonitoredConnection {
  client: ClientBase;
  /** Process id that the server reported at connection start, or null if a pooler invented it. */
  pid: number | null;
  backend: PostgresBackend | null;
  /** `performance.now()` of the oldest unanswered query, or null. */
  pendingSince: number | null;
  /** Bytes received up to the last check. */
  bytesRead: number;
  /** `performance.now()` of the check that last found new bytes. */
  lastReceivedAt: number;
}

/**
 * Monitor of database connections. Destroys connections whose response was lost and terminates their sessions on the
 * server, which would otherwise keep their locks. A failover or a firewall that drops packets doesn't close
 * connections: without the monitor, both sides would wait for the TCP timeout of about 15 minutes. Destroys connections
 * to a database that refuses writes, too.
 *
 * A statement without a single response byte for five seconds is either slow or lost. A new connection tells which: if
 * it fails, the network is down; otherwise the server reports whether it executes the statement (docs/decisions/0030).
 */
export class ConnectionMonitor {
  private readonly logger = new Logger('Database');
  private readonly connections = new Set<MonitoredConnection>();
  /** Sessions of destroyed connections, which may still run on the server. */
  private abandonedBackends: PostgresBackend[] = [];
  private readonly checkTask = new PeriodicTask('database connection check', CHECK_INTERVAL_MS, () =>
    this.checkConnections(),
  );

  /**
   * @param config settings for the monitor's own connections
   * @param statementTimeoutSeconds statement timeout of the monitored connections
   */
  constructor(
    private readonly config: ClientConfig,
    private readonly statementTimeoutSeconds: number,
  ) {}

  startMonitoring(): void {
    this.checkTask.start();
  }

  stopMonitoring(): void {
    void this.checkTask.stop();
  }

  /**
   * Applies the session settings to a new connection and monitors it until it ends. A pooler may execute later
   * statements in sessions without these settings, so behind it they must be the defaults.
   * @throws Error if they are not
   * @returns whether the connection leads to a server process of its own, and not to a pooler
   */
  async addConnection(client: ClientBase): Promise<boolean> {
    const connection = this.trackQueries(client);
    const { differingDefaults, ...backend } = await applyConnectionSettings(client, this.statementTimeoutSeconds);
    const isDirect = backend.pid === connection.pid;
    if (isDirect) connection.backend = backend;
    else connection.pid = null;
    if (!isDirect && differingDefaults.length > 0) throw new PooledSettingsError(differingDefaults);
    return isDirect;
  }

  private trackQueries(client: ClientBase): MonitoredConnection {
    const { processID: pid } = client as unknown as { processID: number };
    const connection: MonitoredConnection = {
      client,
      pid,
      backend: null,
      pendingSince: null,
      bytesRead: 0,
      lastReceivedAt: 0,
    };
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const trackedQuery = (...args: unknown[]) => {
      connection.pendingSince ??= performance.now();
      return query(...args);
    };
    client.query = trackedQuery as typeof client.query;
    client.on('drain', () => (connection.pendingSince = null));
    getProtocol(client).on('errorMessage', ({ code }: DatabaseError) => {
      if (code === READ_ONLY_SQLSTATE) this.destroyReadOnlyConnections(client);
    });
    client.once('end', () => this.connections.delete(connection));
    this.connections.add(connection);
    return connection;
  }

  /**
   * Destroys a connection whose session refused a write, and those that are idle: the session may stay read-only after
   * the database accepts writes again, and a new one may find the new primary. Others are destroyed when they write.
   */
  private destroyReadOnlyConnections(refused: ClientBase): void {
    const idle = [...this.connections].filter(
      ({ client, pendingSince }) => pendingSince === null && client.getTransactionStatus() === 'I',
    );
    for (const client of new Set([refused, ...idle.map((each) => each.client)])) getSocket(client).destroy();
  }

  private async checkConnections(): Promise<void> {
    const suspectConnections = this.findSuspects();
    if (suspectConnections.length + this.abandonedBackends.length === 0) return;
    const probe = new PostgresClient({
      ...this.config,
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
      application_name: 'external-api watch',
    });
    probe.on('error', () => undefined);
    try {
      await probe.connect();
      this.destroyConnections(await findLostConnections(suspectConnections, probe));
      await this.terminateAbandonedBackends(probe);
    } catch (error) {
      if (isUnreachable(error)) this.destroyConnections(suspectConnections);
    } finally {
      getSocket(probe).destroy();
    }
  }

  private findSuspects(): MonitoredConnection[] {
    return [...this.connections].filter((each) => getSilentMs(each) > SUSPECT_AFTER_MS);
  }

  private destroyConnections(lost: MonitoredConnection[]): void {
    // Checks again: bytes that arrived meanwhile, even while the event loop was blocked, have been read by now.
    const silentConnections = lost.filter((each) => getSilentMs(each) > SUSPECT_AFTER_MS);
    if (silentConnections.length === 0) return;
    this.logger.warn({ connections: silentConnections.length }, 'unresponsive database connections destroyed');
    for (const { client, backend } of silentConnections) {
      if (backend) this.abandonedBackends.push(backend);
      getSocket(client).destroy();
    }
  }

  private async terminateAbandonedBackends(probe: Client): Promise<void> {
    const terminated = this.abandonedBackends;
    if (terminated.length === 0) return;
    await terminateBackends(probe, terminated);
    this.abandonedBackends = this.abandonedBackends.filter((each) => !terminated.includes(each));
  }
}

/** Returns the connections whose response was lost. */
async function findLostConnections(suspects: MonitoredConnection[], probe: Client): Promise<MonitoredConnection[]> {
  const { rows } = await probe.query<{ pid: number }>(ACTIVE_BACKENDS_SQL, [suspects.flatMap(({ pid }) => pid ?? [])]);
  const activePids = new Set(rows.map(({ pid }) => pid));
  return suspects.filter((each) =>
    each.pid === null ? getSilentMs(each) > UNVERIFIABLE_TIMEOUT_MS : !activePids.has(each.pid),
  );
}

function getSilentMs(connection: MonitoredConnection): number {
  const { client, pendingSince } = connection;
  if (pendingSince === null) return 0;
  const now = performance.now();
  const { bytesRead } = getSocket(client);
  if (bytesRead !== connection.bytesRead) Object.assign(connection, { bytesRead, lastReceivedAt: now });
  return now - Math.max(pendingSince, connection.lastReceivedAt);
}

/**
 * Returns whether the probe failed because it got no answer. A server that rejects it, for example with too many
 * connections, is reachable, and a TLS file that is missing says nothing about the server.
 */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof DatabaseConnectionError)) return !(error instanceof DatabaseError);
  return isDatabaseUnavailable(error.cause) && !(error.cause instanceof DatabaseError);
}

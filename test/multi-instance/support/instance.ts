import type { HttpClient } from '../../support/http-client';
import { ServiceProcess, type ProcessExit } from '../../support/service-process';
import { parseMetricSamples, type MetricSample } from './prometheus';
import type { TcpProxy } from './tcp-proxy';

/** Log line of an instance. */
export interface InstanceLogLine {
  level: number;
  msg: string;
  requestId?: string;
  /** Name of `requestId` in the previous release. */
  reqId?: string;
  [member: string]: unknown;
}

/** Instance of a cluster, whose ports stay the same across restarts. */
export class Instance {
  /** All log lines, across restarts. */
  readonly log: InstanceLogLine[] = [];
  private readonly requests = new Set<string>();
  private process: ServiceProcess | null = null;

  constructor(
    readonly index: number,
    readonly port: number,
    readonly metricsPort: number,
    private env: NodeJS.ProcessEnv,
    /** Proxy to Redis in a cluster with `redis: 'proxied'`. */
    readonly redisLink: TcpProxy | null,
    /** Proxy to PostgreSQL in a cluster with `isDatabaseProxied`. */
    readonly databaseLink: TcpProxy | null,
    /** Build that the next start runs, the current one by default. */
    public build?: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Client of this instance, without the load balancer. */
  get http(): HttpClient {
    return this.runningProcess.http;
  }

  get isRunning(): boolean {
    return this.process?.isRunning ?? false;
  }

  /** Starts the instance, on the same ports as before, and waits until it is ready. */
  async start(): Promise<void> {
    await this.launchProcess();
    await this.runningProcess.waitUntilReady();
  }

  /** Like `start`, without waiting. */
  async launchProcess(): Promise<void> {
    if (this.isRunning) throw new Error(`Instance ${this.index} is already running.`);
    const env = { ...this.env, METRICS_PORT: String(this.metricsPort) };
    const { port, build } = this;
    this.process = await ServiceProcess.launchProcess(env, {
      port,
      build,
      onLine: (line) => this.recordLogLine(line),
    });
  }

  waitUntilReady(): Promise<void> {
    return this.runningProcess.waitUntilReady();
  }

  /** Sends SIGKILL. */
  killProcess(): Promise<ProcessExit> {
    return this.runningProcess.stop('SIGKILL');
  }

  /** Sends SIGTERM and waits for the exit. */
  stopGracefully(): Promise<ProcessExit> {
    return this.runningProcess.stop('SIGTERM');
  }

  /**
   * Stops the instance with SIGTERM and starts it again.
   * @param env settings that change from now on
   */
  async restartProcess(env: NodeJS.ProcessEnv = {}): Promise<ProcessExit> {
    const processExit = await this.stopGracefully();
    this.env = { ...this.env, ...env };
    await this.start();
    return processExit;
  }

  /** Sends SIGSTOP: connections stay open without answers. */
  suspendProcess(): void {
    this.runningProcess.sendSignal('SIGSTOP');
  }

  resumeProcess(): void {
    this.runningProcess.sendSignal('SIGCONT');
  }

  async readMetricSamples(): Promise<MetricSample[]> {
    return parseMetricSamples(await (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text());
  }

  /** Returns the sum of all samples with this name and these labels, 0 without any. */
  async sumMetric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const fits = (metricSample: MetricSample) =>
      metricSample.name === name && Object.entries(labels).every(([key, value]) => metricSample.labels[key] === value);
    return (await this.readMetricSamples()).filter(fits).reduce((sum, { value }) => sum + value, 0);
  }

  /** Returns whether the log contains the request with this `X-Request-Id`. */
  hasServed(requestId: string): boolean {
    return this.requests.has(requestId);
  }

  private recordLogLine(text: string): void {
    const line = JSON.parse(text) as InstanceLogLine;
    this.log.push(line);
    const requestId = line.requestId ?? line.reqId;
    if (line.msg === 'request' && requestId) this.requests.add(requestId);
  }

  private get runningProcess(): ServiceProcess {
    if (!this.process) throw new Error(`Instance ${this.index} was not started.`);
    return this.process;
  }
}

import type { HttpClient } from '../../support/http-client';
import { ServiceProcess, type Ending } from '../../support/service-process';
import { readSamples, type Sample } from './prometheus';
import type { TcpProxy } from './tcp-proxy';

/** A line of an instance's log. */
export interface LogLine {
  level: number;
  msg: string;
  reqId?: string;
  [member: string]: unknown;
}

/** One process of a cluster, on ports that it keeps over restarts. */
export class Instance {
  /** Every line of its log, over restarts. */
  readonly log: LogLine[] = [];
  private readonly requests = new Set<string>();
  private process: ServiceProcess | null = null;

  constructor(
    readonly index: number,
    readonly port: number,
    readonly metricsPort: number,
    private readonly env: NodeJS.ProcessEnv,
    /** Its own way to Redis, in a cluster with `redis: 'proxied'`. */
    readonly redisLink: TcpProxy | null,
    /** The compiled service that its next start runs; the present one unless given. */
    public build?: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Straight to it, past the load balancer. */
  get http(): HttpClient {
    return this.running.http;
  }

  get isRunning(): boolean {
    return this.process?.isRunning ?? false;
  }

  /** Starts it, again on the same ports if it ran before, and waits until it is ready. */
  async start(): Promise<void> {
    await this.launch();
    await this.running.ready();
  }

  /** As `start`, without waiting. */
  async launch(): Promise<void> {
    if (this.isRunning) throw new Error(`Instance ${this.index} runs already.`);
    const env = { ...this.env, METRICS_PORT: String(this.metricsPort) };
    const { port, build } = this;
    this.process = await ServiceProcess.launch(env, { port, build, onLine: (line) => this.note(line) });
  }

  ready(): Promise<void> {
    return this.running.ready();
  }

  /** SIGKILL. */
  kill(): Promise<Ending> {
    return this.running.stop('SIGKILL');
  }

  /** SIGTERM; resolves when it has ended. */
  drain(): Promise<Ending> {
    return this.running.stop('SIGTERM');
  }

  /** SIGTERM, its end, a new start. */
  async restart(): Promise<Ending> {
    const ending = await this.drain();
    await this.start();
    return ending;
  }

  /** SIGSTOP: it keeps its connections and answers nothing. */
  freeze(): void {
    this.running.signal('SIGSTOP');
  }

  thaw(): void {
    this.running.signal('SIGCONT');
  }

  async samples(): Promise<Sample[]> {
    return readSamples(await (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text());
  }

  /** The sum over all samples of this name that have these labels; 0 when there are none. */
  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const fits = (sample: Sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
    return (await this.samples()).filter(fits).reduce((sum, { value }) => sum + value, 0);
  }

  /** Whether its log has the request of this `X-Request-Id`. */
  served(requestId: string): boolean {
    return this.requests.has(requestId);
  }

  private note(text: string): void {
    const line = JSON.parse(text) as LogLine;
    this.log.push(line);
    if (line.msg === 'request' && line.reqId) this.requests.add(line.reqId);
  }

  private get running(): ServiceProcess {
    if (!this.process) throw new Error(`Instance ${this.index} was not started.`);
    return this.process;
  }
}

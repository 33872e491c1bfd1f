import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForeignDevice } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import type { HttpResponse, HttpClient } from '../../support/http-client';
import type { Cluster } from './cluster';
import type { ClusterMachine, ClusterFixture } from './cluster-fixture';

/** Pause after each call, since a device may make 1,200 calls per minute, and other tests need the cores too. */
const PAUSE_MS = 50;

/** Result of a relayed call, and the mark that identifies its executions. */
interface RecordedRelayCall {
  mark: string;
  isIdempotent: boolean;
  httpResponse: HttpResponse;
}

/** Devices that write and callers that read and invoke, on all instances, until the test stops them. */
export class WriteLoadGenerator {
  /** Acknowledged ids by table. */
  readonly written = {
    messages: new Set<string>(),
    sessions: new Set<string>(),
    relay_calls: new Set<string>(),
  };
  readonly relayCalls: RecordedRelayCall[] = [];
  /** Number of errors by `status code outcome`. */
  readonly refusals: Record<string, number> = {};
  /** Number of successful reads. */
  readCount = 0;
  private isRunning = true;
  private turn = 0;
  private done: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly cluster: Cluster,
    private readonly clusterFixture: ClusterFixture,
  ) {}

  /** @param more additional work, repeated while the load runs */
  async startWriters(
    machines: readonly Pick<ClusterMachine, 'id'>[],
    ...more: (() => Promise<unknown>)[]
  ): Promise<void> {
    const { ada, token } = this.clusterFixture;
    const devices = await Promise.all(Array.from({ length: 3 }, () => ada.pairDevice('account')));
    const [first, second, creator] = devices as [ForeignDevice, ForeignDevice, ForeignDevice];
    const reads = [
      () => this.readResource('/external/v1/me', token),
      () => this.readResource('/external/v1/sessions', token),
      () => this.readResource('/v1/devices', ada.token),
    ];
    const calls = machines.flatMap(({ id }) => [() => this.invokeMachine(id), () => this.invokeWithIdempotencyKey(id)]);
    const actions = [...reads, ...calls, ...more, () => this.createSession(creator)];
    const appending = [this.appendMessages(first), this.appendMessages(second)];
    this.done = Promise.all([...appending, ...actions.map((action) => this.repeatAction(action))]);
  }

  async stopWriters(): Promise<void> {
    this.isRunning = false;
    await this.done;
  }

  /** Number of relayed calls. */
  get answeredCallCount(): number {
    return this.relayCalls.filter(({ httpResponse: answer }) => answer.status === 200).length;
  }

  /** Returns the client of the next instance. */
  nextClient(): HttpClient {
    const { instances } = this.cluster;
    return instances[this.turn++ % instances.length]!.http;
  }

  /** Returns the response and counts errors. */
  async countRefusal(call: Promise<HttpResponse>): Promise<HttpResponse> {
    const httpResponse = await call;
    if (httpResponse.status < 400) return httpResponse;
    const refusal = [httpResponse.status, httpResponse.body.code, httpResponse.body.outcome].filter(Boolean).join(' ');
    this.refusals[refusal] = (this.refusals[refusal] ?? 0) + 1;
    if (httpResponse.status === 503) expect(Number(httpResponse.headers.get('retry-after'))).toBeGreaterThan(0);
    await sleep(PAUSE_MS);
    return httpResponse;
  }

  /** Retries on the next instance with the same `Idempotency-Key` until the outcome is known. */
  async callWithIdempotencyKey(
    call: (http: HttpClient, headers: Record<string, string>) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const headers = { 'Idempotency-Key': randomUUID() };
    for (;;) {
      const httpResponse = await this.countRefusal(call(this.nextClient(), headers));
      if (httpResponse.status !== 503 && httpResponse.status !== 409) return httpResponse;
    }
  }

  /** Returns acknowledged ids that are missing from their tables. */
  async findLostIds(): Promise<Record<string, string[]>> {
    const lost: Record<string, string[]> = {};
    for (const [table, ids] of Object.entries(this.written)) {
      const id = table === 'relay_calls' ? 'request_id' : 'id';
      const rows = await this.cluster.testDatabase.query<{ id: string }>(`SELECT ${id} AS id FROM ${table}`);
      const there = new Set(rows.map((row) => row.id));
      lost[table] = [...ids].filter((each) => !there.has(each));
    }
    return lost;
  }

  /** Returns violations: calls that ran twice, ran although not delivered, or were answered without running. */
  findIncorrectCalls(): RecordedRelayCall[] {
    return this.relayCalls.filter(({ mark, httpResponse: answer }) => {
      const runs = this.clusterFixture.executionRecorder.countByMark(mark);
      if (answer.status === 200) return runs !== 1;
      return runs > (answer.body.outcome === 'not_delivered' ? 0 : 1);
    });
  }

  private async repeatAction(action: () => Promise<unknown>): Promise<void> {
    while (this.isRunning) {
      await action();
      await sleep(PAUSE_MS);
    }
  }

  private async appendMessages(device: ForeignDevice): Promise<void> {
    const session = await DeviceSession.createSession(this.clusterFixture.ada, device);
    const path = `/v1/sessions/${session.id}/messages`;
    await this.repeatAction(async () => {
      const messages = [session.encryptMessage(randomUUID()), session.encryptMessage(randomUUID())];
      const { status, body } = await this.countRefusal(this.nextClient().post(path, device.token, { messages }));
      if (status === 201) for (const { id } of body.data) this.written.messages.add(id);
    });
  }

  private async createSession({ token }: ForeignDevice): Promise<void> {
    const body = new SessionBodyBuilder(this.clusterFixture.ada).buildCreateBody();
    const httpResponse = await this.countRefusal(this.nextClient().post('/v1/sessions', token, body));
    if (httpResponse.status === 201) this.written.sessions.add(httpResponse.body.data.id);
  }

  private async readResource(path: string, token: string): Promise<void> {
    const { status } = await this.countRefusal(this.nextClient().get(path, token));
    if (status === 200) this.readCount++;
  }

  private async invokeMachine(machineId: string): Promise<void> {
    const mark = randomUUID();
    const call = this.clusterFixture.invokeMachine(machineId, { command: mark }, {}, this.nextClient());
    this.recordCall({ mark, isIdempotent: false, httpResponse: await this.countRefusal(call) });
  }

  private async invokeWithIdempotencyKey(machineId: string): Promise<void> {
    const mark = randomUUID();
    const httpResponse = await this.callWithIdempotencyKey((http, headers) =>
      this.clusterFixture.invokeMachine(machineId, { command: mark }, { headers }, http),
    );
    this.recordCall({ mark, isIdempotent: true, httpResponse });
  }

  private recordCall(relayCall: RecordedRelayCall): void {
    this.relayCalls.push(relayCall);
    if (relayCall.httpResponse.status === 200) this.written.relay_calls.add(relayCall.httpResponse.body.requestId);
  }
}

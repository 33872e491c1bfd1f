import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForeignDevice } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { SessionBody } from '../../support/device/session-bodies';
import type { Answer, HttpClient } from '../../support/http-client';
import type { Cluster } from './cluster';
import type { PlacedMachine, Scene } from './scene';

/** After each refusal, and each call of a device: they may make 1200 a minute. */
const PAUSE_MS = 20;

/** A relayed call as it ended, and the mark by which its machine's executions are found. */
interface Called {
  mark: string;
  keyed: boolean;
  answer: Answer;
}

/** Devices that write, and callers that read and invoke, over all instances, until the test stops them. */
export class WritingLoad {
  /** Ids of what was acknowledged, by table. */
  readonly written = {
    messages: new Set<string>(),
    sessions: new Set<string>(),
    relay_calls: new Set<string>(),
  };
  readonly called: Called[] = [];
  /** How often each refusal came, as `status code outcome`. */
  readonly refusals: Record<string, number> = {};
  /** How many reads were answered. */
  reads = 0;
  private running = true;
  private turn = 0;
  private done: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly cluster: Cluster,
    private readonly scene: Scene,
  ) {}

  /** @param more other work, repeated as long as the load runs */
  async start(machines: readonly PlacedMachine[], ...more: (() => Promise<unknown>)[]): Promise<void> {
    const { ada, token } = this.scene;
    const devices = await Promise.all(Array.from({ length: 3 }, () => ada.adopt('account')));
    const [first, second, creator] = devices as [ForeignDevice, ForeignDevice, ForeignDevice];
    const reads = [
      () => this.read('/external/v1/me', token),
      () => this.read('/external/v1/sessions', token),
      () => this.read('/v1/devices', ada.token).then(() => sleep(PAUSE_MS)),
    ];
    const calls = machines.flatMap(({ id }) => [() => this.invoke(id), () => this.invokeUnderKey(id)]);
    const acts = [...reads, ...calls, ...more, () => this.create(creator)];
    const appending = [this.append(first), this.append(second)];
    this.done = Promise.all([...appending, ...acts.map((act) => this.repeat(act))]);
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
  }

  /** How many relayed calls were. */
  get answered(): number {
    return this.called.filter(({ answer }) => answer.status === 200).length;
  }

  /** Each call goes to the next instance. */
  anywhere(): HttpClient {
    const { instances } = this.cluster;
    return instances[this.turn++ % instances.length]!.http;
  }

  /** The answer, counted where it is a refusal. */
  async noted(call: Promise<Answer>): Promise<Answer> {
    const answer = await call;
    if (answer.status < 400) return answer;
    const way = [answer.status, answer.body.code, answer.body.outcome].filter(Boolean).join(' ');
    this.refusals[way] = (this.refusals[way] ?? 0) + 1;
    if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await sleep(PAUSE_MS);
    return answer;
  }

  /** Again on the next instance, under the same `Idempotency-Key`, until it is known what came of it. */
  async underKey(call: (http: HttpClient, headers: Record<string, string>) => Promise<Answer>): Promise<Answer> {
    const headers = { 'Idempotency-Key': randomUUID() };
    for (;;) {
      const answer = await this.noted(call(this.anywhere(), headers));
      if (answer.status !== 503 && answer.status !== 409) return answer;
    }
  }

  /** Acknowledged ids that their tables have not. */
  async lost(): Promise<Record<string, string[]>> {
    const lost: Record<string, string[]> = {};
    for (const [table, ids] of Object.entries(this.written)) {
      const id = table === 'relay_calls' ? 'request_id' : 'id';
      const rows = await this.cluster.database.query<{ id: string }>(`SELECT ${id} AS id FROM ${table}`);
      const there = new Set(rows.map((row) => row.id));
      lost[table] = [...ids].filter((each) => !there.has(each));
    }
    return lost;
  }

  /** What no call may have done: run twice, run though it was not delivered, be answered without having run. */
  misdeeds(): Called[] {
    return this.called.filter(({ mark, answer }) => {
      const runs = this.scene.executions.marked(mark);
      if (answer.status === 200) return runs !== 1;
      return runs > (answer.body.outcome === 'not_delivered' ? 0 : 1);
    });
  }

  private async repeat(act: () => Promise<unknown>): Promise<void> {
    while (this.running) await act();
  }

  private async append(device: ForeignDevice): Promise<void> {
    const session = await KeptSession.open(this.scene.ada, device);
    const path = `/v1/sessions/${session.id}/messages`;
    await this.repeat(async () => {
      const messages = [session.message(randomUUID()), session.message(randomUUID())];
      const { status, body } = await this.noted(this.anywhere().post(path, device.token, { messages }));
      if (status === 201) for (const { id } of body.data) this.written.messages.add(id);
      await sleep(PAUSE_MS);
    });
  }

  private async create({ token }: ForeignDevice): Promise<void> {
    const body = new SessionBody(this.scene.ada).create();
    const answer = await this.noted(this.anywhere().post('/v1/sessions', token, body));
    if (answer.status === 201) this.written.sessions.add(answer.body.data.id);
    await sleep(PAUSE_MS);
  }

  private async read(path: string, token: string): Promise<void> {
    const { status } = await this.noted(this.anywhere().get(path, token));
    if (status === 200) this.reads++;
  }

  private async invoke(machineId: string): Promise<void> {
    const mark = randomUUID();
    const call = this.scene.invoke(machineId, { command: mark }, {}, this.anywhere());
    this.note({ mark, keyed: false, answer: await this.noted(call) });
  }

  private async invokeUnderKey(machineId: string): Promise<void> {
    const mark = randomUUID();
    const answer = await this.underKey((http, headers) =>
      this.scene.invoke(machineId, { command: mark }, { headers }, http),
    );
    this.note({ mark, keyed: true, answer });
  }

  private note(called: Called): void {
    this.called.push(called);
    if (called.answer.status === 200) this.written.relay_calls.add(called.answer.body.requestId);
  }
}

import { expectStatus, type ForeignDevice } from './device/foreign-device';
import type { HttpClient, HttpResponse, RequestOptions } from './http-client';
import { MACHINE_CAPABILITIES } from './relay-test-client';
import { RelayFixture, type ConnectedMachine } from './relay-fixture';

export const INVOCATION_CAPABILITIES = [...MACHINE_CAPABILITIES, 'invocation'];

export type ReportedState = 'running' | 'completed' | 'cancelled' | 'timed_out' | 'failed';

/** Bodies of `PUT /v1/machines/{id}/invocations/{localId}` by state, without their revision. */
const REPORTS: Record<ReportedState, object> = {
  running: { startedAt: 1_788_255_000_000 },
  completed: { exitCode: 0, stdoutBytes: 12, startedAt: 1_788_255_000_000, endedAt: 1_788_255_060_000 },
  cancelled: { signal: 'SIGTERM', startedAt: 1_788_255_000_000, endedAt: 1_788_255_060_000 },
  timed_out: { signal: 'SIGKILL', timedOut: true, startedAt: 1_788_255_000_000, endedAt: 1_788_255_060_000 },
  failed: { errorCode: 'process_lost', startedAt: 1_788_255_000_000, endedAt: 1_788_255_060_000 },
};

export function buildInvocationReport(state: ReportedState, revision: number, change: object = {}): object {
  return {
    revision,
    state,
    errorCode: null,
    exitCode: null,
    signal: null,
    timedOut: false,
    stdoutBytes: 0,
    stderrBytes: 0,
    startedAt: null,
    endedAt: null,
    ...REPORTS[state],
    ...change,
  };
}

/** An online machine whose device starts every command, and calls about its invocations. */
export class InvocationFixture {
  private constructor(
    readonly relay: RelayFixture,
    readonly machine: ConnectedMachine,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<InvocationFixture> {
    const relay = await RelayFixture.start(env);
    return new InvocationFixture(relay, await relay.createMachine(INVOCATION_CAPABILITIES));
  }

  /** Forgets the requests of the device, which starts every command again. */
  reset(): void {
    this.machine.socket.requests.length = 0;
    this.machine.socket.setHandler(() => ({ ok: true, result: buildInvocationReport('running', 1) }));
  }

  getPath(suffix = '', machineId = this.machine.id): string {
    return `/external/v1/machines/${machineId}/invocations${suffix}`;
  }

  start(body: object = {}, options: RequestOptions = {}, machineId = this.machine.id): Promise<HttpResponse> {
    return this.relay.http.post(this.getPath('', machineId), this.relay.token, { command: 'make', ...body }, options);
  }

  /** Returns the record of an invocation that has started. */
  async startInvocation(body: object = {}): Promise<any> {
    return expectStatus(await this.start(body), 202).data;
  }

  get(id: string, query = '', via: HttpClient = this.relay.http): Promise<HttpResponse> {
    return via.get(this.getPath(`/${id}${query}`), this.relay.token);
  }

  async readInvocation(id: string, query = ''): Promise<any> {
    return expectStatus(await this.get(id, query), 200).data;
  }

  cancel(id: string, options: RequestOptions = {}, token = this.relay.token): Promise<HttpResponse> {
    return this.relay.http.post(this.getPath(`/${id}/cancel`), token, undefined, options);
  }

  getDevicePath({ requestId }: { requestId: string }, machineId = this.machine.id): string {
    return `/v1/machines/${machineId}/invocations/${requestId}`;
  }

  report(
    invocation: { requestId: string },
    body: object,
    by: ForeignDevice = this.machine.device,
    via: HttpClient = this.relay.http,
  ): Promise<HttpResponse> {
    return via.request('PUT', this.getDevicePath(invocation), { token: by.token, json: body });
  }

  stop(): Promise<void> {
    return this.relay.stop();
  }
}

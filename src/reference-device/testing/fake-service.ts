import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { DEVICE_SOCKET_PATH, type RelayAnswer } from '../../wire';
import { FakeAccounts, Problem, type Body } from './fake-accounts';

/** The service as device-api.md describes it, for tests: real HTTP and a real socket.io server, in memory. */
export class FakeService {
  readonly accounts = new FakeAccounts();
  /** Oldest first, closed ones included. */
  readonly sockets: Socket[] = [];
  readonly requests: string[] = [];
  /** What the service's clock is ahead of this computer's. */
  clockAheadMs = 0;
  /** What came into any session's history, in order, each `localId` once. */
  readonly messages: Body['messages'] = [];
  /** Sizes of the batches that came, those included that met {@link historyProblem}. */
  readonly batches: number[] = [];
  /** What writing history meets. */
  historyProblem: ((batch: Body['messages']) => Problem | undefined) | undefined;
  /** Told to leave as soon as they come. */
  drainsNewSockets = 0;
  private readonly http: HttpServer = createServer((request, response) => {
    void this.answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    });
  });
  private readonly io = new Server(this.http, { path: DEVICE_SOCKET_PATH, transports: ['websocket'] });

  async start(port = 0): Promise<this> {
    this.io.use((socket, next) => next(this.handshakeFault(socket)));
    this.io.on('connection', (socket) => {
      this.sockets.push(socket);
      socket.emit('hello', { serverTime: Date.now() + this.clockAheadMs, deviceId: 'dev_1' });
      if (this.drainsNewSockets-- > 0) socket.emit('relay:drain', { withinMs: 1000 });
    });
    await new Promise<void>((resolve) => this.http.listen(port, '127.0.0.1', resolve));
    this.accounts.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await this.io.close();
  }

  get url(): string {
    return this.accounts.url;
  }

  /** Emits `relay:request` and waits for the device's acknowledgement. */
  async call(payload: unknown, socket = this.sockets.at(-1)): Promise<RelayAnswer> {
    return (await socket?.timeout(10_000).emitWithAck('relay:request', payload)) as RelayAnswer;
  }

  private handshakeFault(socket: Socket): Error | undefined {
    try {
      this.accounts.deviceOf((socket.handshake.auth as { token?: string }).token);
      return undefined;
    } catch {
      return Object.assign(new Error('refused'), { data: { code: 'invalid_token' } });
    }
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    try {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const route = `${request.method} ${request.url}`;
      this.requests.push(route);
      const token = request.headers.authorization?.replace('Bearer ', '');
      const body = this.dispatch(route, JSON.parse(text || '{}') as Body, token);
      return body === undefined ? { status: 204 } : { status: 201, body };
    } catch (error) {
      const { status, code, extra } = error instanceof Problem ? error : new Problem(500, String(error));
      return { status, body: { code, detail: `Refused with ${code}.`, requestId: 'req_1', ...extra } };
    }
  }

  private dispatch(route: string, body: Body, token: string | undefined): unknown {
    const { accounts } = this;
    if (route === 'POST /v1/auth/challenge') return { data: accounts.challenge(body) };
    if (route === 'POST /v1/accounts') return { data: accounts.signUp(body) };
    if (route === 'POST /v1/auth/sign-in') return { data: accounts.signIn(body) };
    if (route === 'POST /v1/pairings') return { data: accounts.pair(body) };
    const status = /^GET \/v1\/pairings\/(pair_\w+)$/.exec(route);
    if (status) return { data: accounts.pairing(status[1] ?? '') };
    const device = accounts.deviceOf(token);
    const [, code = '', action] = /\/pairings\/code\/([^/]+)\/?(\w*)$/.exec(route) ?? [];
    if (code && action === 'approve') return accounts.approve(code, body.enrollment);
    if (code && action === 'deny') return void (accounts.pairing(code).state = 'denied');
    if (code) return { data: { ...accounts.pairing(code).asks, platform: 'linux', address: '127.0.0.1' } };
    if (route === 'GET /v1/account') return { data: { ...accounts.account, createdAt: 0 } };
    if (route === 'GET /v1/devices')
      return { data: accounts.devices.map((each) => accounts.record(each)), nextCursor: null };
    if (route === 'POST /v1/machines') return { data: { ...body, id: `mch_of_${device.id}` } };
    if (route === 'POST /v1/sessions') return { data: { ...body, id: 'ses_1', state: 'active' } };
    if (/^POST \/v1\/sessions\/\w+\/messages$/.test(route)) return { data: this.write(body.messages) };
    if (route === 'POST /v1/account/external-tokens')
      return { data: { ...body, id: 'tok_1' }, token: 'svc_pat_secret' };
    throw new Problem(404, 'not_found');
  }

  private write(batch: Body['messages']) {
    this.batches.push(batch.length);
    const problem = this.historyProblem?.(batch);
    if (problem) throw problem;
    const known = new Set(this.messages.map(({ localId }) => localId));
    this.messages.push(...batch.filter(({ localId }) => !known.has(localId)));
    return batch.map(({ localId }) => ({ id: `msg_${localId}`, localId }));
  }
}

import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import {
  DEVICE_SOCKET_PATH,
  WATCH_LEASE_MS,
  findDeviceAnswers,
  type Capability,
  type DeltaMessage,
  type HandshakeAuth,
  type OutputMessage,
  type RelayAcknowledgement,
} from '@external-api/protocol';
import { FakeInvocations } from './fake-invocations';
import { FakeTurns } from './fake-turns';
import { FakeAccounts, FakeServiceError, type FakeRequestBody } from './fake-accounts';

const REQUEST_ID = 'req_1';

interface FakeSession {
  id: string;
  tag: string;
  state: string;
  version: number;
  metadata: string | null;
}

/**
 * Fake service for tests, after docs/protocol/device-api.md: real HTTP, a real socket.io server, state in memory.
 */
export class FakeService {
  readonly accounts = new FakeAccounts();
  readonly agents = new FakeTurns();
  readonly invocations = new FakeInvocations();
  /** Oldest first, closed ones included. */
  readonly sockets: Socket[] = [];
  readonly requestLines: string[] = [];
  /** How far the service's clock is ahead of this computer's. */
  clockAheadMs = 0;
  /** Messages written to any session's history, in order, each `localId` once. */
  readonly messages: FakeRequestBody['messages'] = [];
  /** Sessions by tag. The first is the machine's. */
  readonly sessions = new Map<string, FakeSession>();
  /** Bodies of `POST /v1/machines`. */
  readonly registrations: FakeRequestBody[] = [];
  /** Apps of `POST /v1/developer/apps`. */
  readonly apps: object[] = [];
  /** Bodies of `POST /v1/artifacts`. */
  readonly artifacts: FakeRequestBody[] = [];
  /** Bodies of key grants, with the session of each. */
  readonly keyGrants: { sessionId: string; recipient: unknown; sealedKey: string; tokenId?: string }[] = [];
  /** Public key to which devices seal grants to the service. */
  grantKey: object | undefined;
  /** Sizes of the received batches, including those that failed with {@link getHistoryError}. */
  readonly batchSizes: number[] = [];
  /** Returns the error of a history write, if it should fail. */
  getHistoryError: ((batch: FakeRequestBody['messages']) => FakeServiceError | undefined) | undefined;
  /** Returns the error of a request, such as `PATCH /v1/sessions/ses_1`, if it should fail. */
  getRequestError: ((route: string, body: object) => FakeServiceError | undefined) | undefined;
  /** Delays the responses to these requests. */
  delayRequest: ((route: string) => Promise<void> | undefined) | undefined;
  /** Live output in the order in which it arrived. */
  readonly deltas: DeltaMessage[] = [];
  readonly outputs: OutputMessage[] = [];
  /** Capabilities in `hello`. Undefined: a service from before they were listed there. */
  acceptedCapabilities: Capability[] | undefined;
  /** Capabilities that make the handshake fail with `invalid_request`. */
  refusedCapabilities: Capability[] = [];
  /** Whether new connections receive the drain event immediately. */
  socketsToDrain = 0;
  private readonly httpServer: HttpServer = createServer((request, response) => {
    void this.handleHttpRequest(request).then(({ status, body }) => {
      const mediaType = status < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'content-type': mediaType, 'x-request-id': REQUEST_ID });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    });
  });
  private readonly socketServer = new Server(this.httpServer, {
    path: DEVICE_SOCKET_PATH,
    transports: ['websocket'],
  });

  async start(port = 0): Promise<this> {
    this.socketServer.use((socket, next) => next(this.checkHandshake(socket)));
    this.socketServer.on('connection', (socket) => {
      this.sockets.push(socket);
      socket.on('delta', (message: DeltaMessage) => this.deltas.push(message));
      socket.on('output', (message: OutputMessage) => this.outputs.push(message));
      const { acceptedCapabilities: capabilities } = this;
      socket.emit('hello', { serverTime: Date.now() + this.clockAheadMs, deviceId: 'dev_1', capabilities });
      if (this.socketsToDrain-- > 0) socket.emit('relay:drain', { withinMs: 1000 });
    });
    await new Promise<void>((resolve) => this.httpServer.listen(port, '127.0.0.1', resolve));
    this.accounts.url = `http://127.0.0.1:${(this.httpServer.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.httpServer.closeAllConnections();
    await this.socketServer.close();
  }

  get url(): string {
    return this.accounts.url;
  }

  /** Emits `relay:request` and waits for the device's acknowledgement. */
  async callDevice(payload: unknown, socket = this.sockets.at(-1)): Promise<RelayAcknowledgement> {
    return (await socket?.timeout(30_000).emitWithAck('relay:request', payload)) as RelayAcknowledgement;
  }

  /** Asks the device for live output. It has read this before it reads the next call. */
  watch(target: { sessionId: string } | { invocationId: string }, leaseMs = WATCH_LEASE_MS): void {
    const event = 'sessionId' in target ? 'turn:watch' : 'invocation:watch';
    this.sockets.at(-1)!.emit(event, { ...target, until: Date.now() + this.clockAheadMs + leaseMs });
  }

  /** Asks the device for what its agent does beside the messages. */
  watchProgress(sessionId: string): void {
    this.sockets.at(-1)!.emit('progress:watch', { sessionId, until: Date.now() + this.clockAheadMs + WATCH_LEASE_MS });
  }

  private checkHandshake(socket: Socket): Error | undefined {
    const { token, capabilities } = socket.handshake.auth as HandshakeAuth;
    const refuse = (code: string): Error => Object.assign(new Error('refused'), { data: { code } });
    try {
      this.accounts.authenticateDevice(token);
    } catch {
      return refuse('invalid_token');
    }
    const isRefused = capabilities.some((capability) => this.refusedCapabilities.includes(capability));
    return isRefused ? refuse('invalid_request') : undefined;
  }

  private async handleHttpRequest(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    try {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const route = `${request.method} ${request.url}`;
      this.requestLines.push(route);
      await this.delayRequest?.(route);
      const token = request.headers.authorization?.replace('Bearer ', '');
      const requestBody = JSON.parse(text || '{}') as FakeRequestBody;
      const requestError = this.getRequestError?.(route, requestBody);
      if (requestError) throw requestError;
      const body = this.dispatchRoute(route, requestBody, token);
      return body === undefined ? { status: 204 } : { status: 201, body: toDocumentedBody(route, body) };
    } catch (error) {
      const { status, code, extra } =
        error instanceof FakeServiceError ? error : new FakeServiceError(500, String(error));
      return { status, body: { code, detail: `Refused with ${code}.`, requestId: REQUEST_ID, ...extra } };
    }
  }

  private dispatchRoute(route: string, fakeRequestBody: FakeRequestBody, token: string | undefined): unknown {
    const { accounts } = this;
    if (route === 'POST /v1/auth/challenge') return { data: accounts.createChallenge(fakeRequestBody) };
    if (route === 'POST /v1/accounts') return { data: accounts.signUp(fakeRequestBody) };
    if (route === 'POST /v1/auth/sign-in') return { data: accounts.signIn(fakeRequestBody) };
    if (route === 'POST /v1/pairings') return { data: accounts.createPairing(fakeRequestBody) };
    const status = /^GET \/v1\/pairings\/(pair_\w+)$/.exec(route);
    if (status) return { data: accounts.getPairing(status[1] ?? '') };
    const fakeDevice = accounts.authenticateDevice(token);
    const [, code = '', action] = /\/pairings\/code\/([^/]+)(?:\/(\w+))?$/.exec(route) ?? [];
    if (code && action === 'approve') return accounts.approvePairing(code, fakeRequestBody.enrollment);
    if (code && action === 'deny') return void (accounts.getPairing(code).state = 'denied');
    if (code)
      return {
        data: {
          ...accounts.getPairing(code).requestedDevice,
          ...{ id: accounts.getPairing(code).id, platform: 'linux', address: '127.0.0.1' },
          ...{ fingerprint: '', createdAt: 0, expiresAt: 0 },
        },
      };
    if (route === 'GET /v1/account') return { data: { ...accounts.account, createdAt: 0 } };
    if (route === 'GET /v1/devices')
      return { data: accounts.devices.map((each) => accounts.toDeviceResource(each)), nextCursor: null };
    if (route === 'POST /v1/machines') return this.registerMachine(fakeRequestBody, fakeDevice.id);
    const turnAnswer = this.agents.handleRoute(route, fakeRequestBody, fakeDevice.id);
    if (turnAnswer) return turnAnswer;
    const invocationAnswer = this.invocations.handleRoute(route, fakeRequestBody);
    if (invocationAnswer) return invocationAnswer;
    const grantAnswer = this.handleGrantRoute(route, fakeRequestBody);
    if (grantAnswer) return grantAnswer;
    const sessionAnswer = this.handleSessionRoute(route, fakeRequestBody);
    if (sessionAnswer) return sessionAnswer;
    if (route === 'POST /v1/artifacts') return { data: (this.artifacts.push(fakeRequestBody), fakeRequestBody) };
    const artifact = this.findArtifact(route);
    if (artifact) return { data: artifact };
    if (/^POST \/v1\/sessions\/\w+\/messages$/.test(route))
      return { data: this.writeMessages(fakeRequestBody.messages) };
    if (route === 'POST /v1/account/external-tokens')
      return { data: { ...fakeRequestBody, id: 'tok_1' }, token: 'svc_pat_secret' };
    if (route === 'POST /v1/developer/apps') {
      this.apps.push({ ...fakeRequestBody, clientId: 'svc_oapp_1', state: 'active', activeUsers: 3, createdAt: 0 });
      return { data: this.apps.at(-1), clientSecret: 'svc_ocs_secret' };
    }
    if (route.startsWith('GET /v1/developer/apps')) return { data: this.apps, nextCursor: null };
    throw new FakeServiceError(404, 'not_found');
  }

  /** Artifacts have the ids `art_1`, `art_2` and so on. */
  private findArtifact(route: string): object | undefined {
    const [, number = ''] = /^GET \/v1\/artifacts\/art_(\d+)$/.exec(route) ?? [];
    const artifact = this.artifacts[Number(number) - 1];
    return artifact && { ...artifact, id: `art_${number}`, version: 1 };
  }

  private registerMachine(fakeRequestBody: FakeRequestBody, deviceId: string) {
    this.registrations.push(fakeRequestBody);
    return { data: { ...fakeRequestBody, id: `mch_of_${deviceId}` } };
  }

  /** After docs/protocol/encryption.md#key-grants. */
  private handleGrantRoute(route: string, body: object) {
    if (route === 'GET /v1/key-grants/recipient') return { data: { kid: 'service-1', publicKey: this.grantKey } };
    const [, sessionId] = /^POST \/v1\/sessions\/(\w+)\/key-grants$/.exec(route) ?? [];
    if (sessionId === undefined) return undefined;
    this.keyGrants.push({ ...(body as FakeService['keyGrants'][number]), sessionId });
    return { data: { ...body, id: `grt_${this.keyGrants.length}`, sessionId } };
  }

  private handleSessionRoute(route: string, body: FakeRequestBody) {
    const [, id] = /^PATCH \/v1\/sessions\/(\w+)$/.exec(route) ?? [];
    const [, tag] = /^GET \/v1\/sessions\?tag=(.+)$/.exec(route) ?? [];
    const known = [...this.sessions.values()].find((session) => session.id === id || session.tag === (tag ?? body.tag));
    const [, readId] = /^GET \/v1\/sessions\/(\w+)$/.exec(route) ?? [];
    const read = [...this.sessions.values()].find((session) => session.id === readId);
    if (read) return { data: { ...read, activity: this.agents.getActivity(read.id) } };
    if (route === 'GET /v1/sessions?state=active')
      return { data: [...this.sessions.values()].filter(({ state }) => state === 'active'), nextCursor: null };
    if (tag) return { data: known ? [known] : [], nextCursor: null };
    if (id && known) return { data: updateSession(known, body) };
    if (route !== 'POST /v1/sessions') return undefined;
    const created = { metadata: null, ...body, id: `ses_${this.sessions.size + 1}`, state: 'active', version: 1 };
    const session = known ?? created;
    this.sessions.set(session.tag, session);
    return { data: session };
  }

  private writeMessages(batch: FakeRequestBody['messages']) {
    this.batchSizes.push(batch.length);
    const historyError = this.getHistoryError?.(batch);
    if (historyError) throw historyError;
    if (batch.some(({ turnLocalId }) => turnLocalId !== undefined && !this.agents.turns.has(turnLocalId)))
      throw new FakeServiceError(400, 'invalid_request');
    const known = new Set(this.messages.map(({ localId }) => localId));
    this.messages.push(...batch.filter(({ localId }) => !known.has(localId)));
    return batch.map(({ localId }, n) => ({ id: `msg_${localId}`, seq: n + 1, localId }));
  }
}

/** A changed session has the next version if its metadata was changed (docs/protocol/device-api.md#sync). */
function updateSession(
  session: FakeSession,
  { expectedVersion, ...change }: Partial<FakeSession> & { expectedVersion?: number },
) {
  const current = session.version;
  if ((expectedVersion ?? current) !== current) throw new FakeServiceError(409, 'conflict', { current });
  return Object.assign(session, change, { version: change.metadata ? current + 1 : current });
}

/** Adds to each record the `object` that the document says, which no state here needs. */
function toDocumentedBody(route: string, body: unknown): unknown {
  const [method = '', path = ''] = route.split(' ');
  const { object } = findDeviceAnswers(method, path);
  const { data, ...others } = body as { data: object | object[] };
  const describeRecord = (record: object) => (object === undefined ? record : { ...record, object });
  return { ...others, data: Array.isArray(data) ? data.map(describeRecord) : describeRecord(data) };
}

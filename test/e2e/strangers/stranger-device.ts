/**
 * A device that was written from the protocol's pages alone, by somebody who has never seen the service's source.
 * It uses node:crypto for keys, fetch for HTTP, and socket.io-client for the device socket.
 */
import { io, type Socket } from 'socket.io-client';
import * as own from './stranger-crypto';

type SignedIn = { account: { id: string; username: string }; token: string; enrollment: string | null };
type Session = { id: string; tag: string; version: number; metadata: string; dataKey: { kid: string; sealed: string } };
type Proof = { publicKey: own.Okp; encryptionKey?: own.Okp; challenge: string; signature: string };
type Hello = { serverTime: number; capabilities: string[] };
type Params = { command: string; args: string[]; content: string };
type Request = { requestId: string; method: string; deadline: number; sessionId?: string; params: Params };
type Answer = { ok: true; result: object } | { ok: false; error: { code: string; message: string } };

export class StrangerDevice {
  accountId = '';
  machineId = '';
  capabilities: string[] = [];
  private readonly url: string;
  private readonly keys = own.newKeys();
  /** The first device of an account makes its content key; a machine never learns the private half. */
  private readonly contentKeys = own.newExchangeKeys();
  private contentPublicKey = own.publicJwk(this.contentKeys);
  private hostUrl?: string;
  private token?: string;
  private enrollment?: string;
  private socket?: Socket;
  private clockOffset = 0;
  private readonly sessions = new Map<string, { tag: string; key: own.DataKey }>();
  private readonly answers = new Map<string, Promise<Answer>>();
  private readonly cancelled = new Set<string>();

  constructor(url: string) {
    this.url = url;
  }

  get fingerprint(): string {
    return own.fingerprint(own.publicJwk(this.keys.sign), own.publicJwk(this.keys.encrypt));
  }

  /** Creates an account, whose first device this is. */
  async signUp(username: string): Promise<void> {
    const { publicKey, encryptionKey, ...proof } = await this.prove(true);
    const device = { publicKey, encryptionKey, name: 'Stranger', platform: 'test' };
    const { contentPublicKey } = this;
    const created = await this.call<SignedIn>('POST', '/v1/accounts', { username, ...proof, device, contentPublicKey });
    this.accountId = created.account.id;
    this.token = created.token;
  }

  /** Signs in with the keys of this device, and pins the enrollment that the service returns. */
  async signIn(): Promise<SignedIn> {
    const signedIn = await this.call<SignedIn>('POST', '/v1/auth/sign-in', await this.prove(false));
    const { account, enrollment } = signedIn;
    if (this.enrollment && enrollment !== this.enrollment) throw new Error('The enrollment has changed');
    if (enrollment) this.acceptEnrollment(enrollment, account.id);
    this.accountId = account.id;
    this.token = signedIn.token;
    return signedIn;
  }

  /** Joins the account of another device as a machine; the approver stands for the person who compares fingerprints. */
  async joinAsMachine(name: string, approver: StrangerDevice): Promise<void> {
    const body = { ...(await this.prove(true)), kind: 'machine', name, platform: 'linux' };
    const pairing = await this.call<{ id: string; code: string }>('POST', '/v1/pairings', body);
    await approver.approve(pairing.code, this.fingerprint);
    const { state } = await this.call<{ state: string }>('GET', `/v1/pairings/${pairing.id}`);
    if (state !== 'approved') throw new Error(`The pairing is ${state}`);
    const { account } = await this.signIn();
    if (account.id !== approver.accountId) throw new Error('Another account has approved this machine');
    const machine = await this.call<{ id: string }>('POST', '/v1/machines', { name, platform: 'linux' });
    this.machineId = machine.id;
  }

  /** Approves a new device with a signed enrollment, once both fingerprints are the same. */
  async approve(code: string, shownFingerprint: string): Promise<void> {
    const path = `/v1/pairings/code/${code}`;
    const { publicKey, encryptionKey } = await this.call<{ publicKey: own.Okp; encryptionKey: own.Okp }>('GET', path);
    if (own.fingerprint(publicKey, encryptionKey) !== shownFingerprint) throw new Error('The fingerprints differ');
    const { accountId, contentPublicKey } = this;
    const terms = { accountId, publicKey, encryptionKey, contentPublicKey };
    await this.call('POST', `${path}/approve`, { enrollment: own.signEnrollment(this.keys, terms) });
  }

  /** Creates a personal access token. Its secret stands beside `data`, and the service shows it only once. */
  async createToken(name: string, scopes: string[]): Promise<{ id: string; token: string }> {
    const created = await this.fetch('POST', '/v1/account/external-tokens', { name, scopes });
    const { data, token } = created as { data: { id: string }; token: string };
    return { id: data.id, token };
  }

  /** Creates a session with a new data key, which is sealed to the account, and with encrypted metadata. */
  async createSession(tag: string, metadata: object): Promise<string> {
    const key = own.newDataKey();
    const place = { a: this.accountId, s: tag, m: 1 };
    const { id } = await this.call<Session>('POST', '/v1/sessions', {
      tag,
      machineId: this.machineId,
      dataKey: { kid: key.kid, sealed: own.seal(this.contentPublicKey, JSON.stringify(key)) },
      metadata: own.sealContent(key, 'application/json', place, JSON.stringify(metadata)),
    });
    this.sessions.set(id, { tag, key });
    return id;
  }

  /** Appends one encrypted message to the history of a session that this device has created, and returns its ID. */
  async append(sessionId: string, localId: string, role: string, text: string): Promise<string> {
    const session = this.sessions.get(sessionId);
    if (!session) throw new Error('This device does not host the session');
    const place = { a: this.accountId, s: session.tag, l: localId, r: role };
    const content = own.sealContent(session.key, 'text/plain; charset=utf-8', place, text);
    const body = { messages: [{ localId, role, content }] };
    const [stored] = await this.call<{ id: string }[]>('POST', `/v1/sessions/${sessionId}/messages`, body);
    return stored!.id;
  }

  /** Reads the metadata of any session of the account, as only an account device can. */
  async readMetadata(sessionId: string): Promise<unknown> {
    const { session, key } = await this.openSession(sessionId);
    const place = { a: this.accountId, s: session.tag, m: session.version };
    return JSON.parse(own.openContent(key, place, session.metadata));
  }

  /** Lets one token read the content of a session through the service, by sealing the key together with the terms. */
  async grantToService(sessionId: string, tokenId: string): Promise<string> {
    const { key } = await this.openSession(sessionId);
    const recipient = await this.call<{ publicKey: own.Okp }>('GET', '/v1/key-grants/recipient');
    const { accountId, hostUrl: aud } = this;
    const terms = { key, aud, accountId, sessionId, artifactId: null, tokenId, appId: null, expiresAt: null };
    const body = { recipient: 'service', sealedKey: own.seal(recipient.publicKey, JSON.stringify(terms)), tokenId };
    return (await this.call<{ id: string }>('POST', `/v1/sessions/${sessionId}/key-grants`, body)).id;
  }

  /** Connects the device socket, and returns when the service has said hello. */
  connect(capabilities: string[]): Promise<void> {
    const auth = { token: this.token, capabilities };
    const transports = ['websocket'];
    const socket = io(this.url, { path: '/v1/devices/socket', transports, auth, reconnection: false, forceNew: true });
    this.socket = socket;
    socket.on('relay:cancel', ({ requestId }: Request) => this.cancelled.add(requestId));
    socket.on('relay:request', (request: Request, acknowledge: (answer: Answer) => void) => {
      // A request runs once, so a request that arrives again gets the answer of the first one.
      const answer = this.answers.get(request.requestId) ?? this.serve(request);
      this.answers.set(request.requestId, answer);
      void answer.then(acknowledge);
    });
    return new Promise((resolve, reject) => {
      socket.on('connect_error', (error: Error & { data?: { code: string } }) =>
        reject(new Error(`The handshake failed: ${error.data?.code ?? error.message}`)),
      );
      socket.on('hello', (hello: Hello) => {
        this.clockOffset = hello.serverTime - Date.now();
        this.capabilities = hello.capabilities;
        resolve();
      });
    });
  }

  close(): void {
    this.socket?.disconnect();
  }

  /** Answers a relayed call, unless it is too late for it or its caller has gone. */
  private async serve(request: Request): Promise<Answer> {
    const refuse = (code: string, message: string): Answer => ({ ok: false, error: { code, message } });
    if (this.cancelled.has(request.requestId)) return refuse('cancelled', 'The call was cancelled before it started.');
    if (Date.now() + this.clockOffset > request.deadline) return refuse('busy', 'The deadline has passed.');
    try {
      if (request.method === 'machine.invoke') return { ok: true, result: this.echo(request.params) };
      if (request.method === 'session.message') return { ok: true, result: await this.reply(request) };
      return refuse('internal', `This device does not serve ${request.method}.`);
    } catch (error) {
      return refuse('internal', String(error));
    }
  }

  /** The echo of a command has the form of the reference device's result, although nothing has run. */
  private echo({ command, args }: Params): object {
    const stdout = `${[command, ...args].join(' ')}\n`;
    const sizes = { stdoutBytes: Buffer.byteLength(stdout), stderrBytes: 0 };
    const flags = { stdoutTruncated: false, stderrTruncated: false, timedOut: false };
    return { exitCode: 0, signal: null, stdout, stderr: '', ...sizes, ...flags, durationMs: 0 };
  }

  /** Stores the message and the reply in the history, each under a localId that begins with the ID of the call. */
  private async reply({ requestId, sessionId = '', params }: Request): Promise<object> {
    const reply = `You said: ${params.content}`;
    const messageId = await this.append(sessionId, `${requestId}:user`, 'user', params.content);
    await this.append(sessionId, `${requestId}:assistant`, 'assistant', reply);
    return { accepted: true, messageId, reply, turn: null };
  }

  /** Believes an enrollment only if it is signed and names exactly this device's keys and its account. */
  private acceptEnrollment(enrollment: string, accountId: string): void {
    const terms = own.openEnrollment(enrollment);
    const sameKeys = own.fingerprint(terms.publicKey, terms.encryptionKey) === this.fingerprint;
    if (!sameKeys || terms.accountId !== accountId) throw new Error('The enrollment is not for this device');
    this.contentPublicKey = terms.contentPublicKey;
    this.enrollment = enrollment;
  }

  /**
   * Asks for a challenge, compares its text with the expected one, and signs it. The text names the service's public
   * URL, which need not be the address that this device connects to, so the device pins the one that it saw first.
   */
  private async prove(withEncryptionKey: boolean): Promise<Proof> {
    const publicKey = own.publicJwk(this.keys.sign);
    const encryptionKey = withEncryptionKey ? own.publicJwk(this.keys.encrypt) : undefined;
    const asked = await this.call<{ challenge: string; message: string }>('POST', '/v1/auth/challenge', {
      publicKey,
      encryptionKey,
    });
    this.hostUrl ??= /^host: (.+)$/m.exec(asked.message)?.[1];
    const lines = ['External API device signature', `host: ${this.hostUrl}`, `challenge: ${asked.challenge}`];
    lines.push(`public key: ${own.thumbprint(publicKey)}`);
    if (encryptionKey) lines.push(`encryption key: ${own.thumbprint(encryptionKey)}`);
    if (asked.message !== lines.join('\n')) throw new Error(`The challenge has an unexpected text: ${asked.message}`);
    return { publicKey, encryptionKey, challenge: asked.challenge, signature: own.signText(this.keys, asked.message) };
  }

  /** Reads a session and opens its data key with the content key of the account. */
  private async openSession(sessionId: string): Promise<{ session: Session; key: own.DataKey }> {
    const session = await this.call<Session>('GET', `/v1/sessions/${sessionId}`);
    const { sealed, kid } = session.dataKey;
    return { session, key: { ...(JSON.parse(own.unseal(this.contentKeys, sealed)) as own.DataKey), kid } };
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = (await this.fetch(method, path, body)) as { data: T } | undefined;
    return answer?.data as T;
  }

  private async fetch(method: string, path: string, body?: object): Promise<unknown> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const response = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }
}

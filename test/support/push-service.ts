import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, importJWK, jwtVerify } from 'jose';
import { generateVapidKey } from '../../src/core/config';
import { waitFor } from './wait-for';
import { LOOPBACK_WEBHOOKS_ENV } from './webhooks/webhook-fixture';

/** Settings that turn notifications on, with push services on loopback. */
export const createPushEnv = (): NodeJS.ProcessEnv => ({
  ...LOOPBACK_WEBHOOKS_ENV,
  PUSH_VAPID_PRIVATE_KEY: generateVapidKey(),
  PUSH_VAPID_SUBJECT: 'mailto:operator@example.com',
  PUSH_ALLOW_HOSTS: '127.0.0.1',
});

/** A message as the push service got it, decrypted as the browser does it. */
export interface PushedMessage {
  browser: TestBrowserKeys;
  headers: IncomingHttpHeaders;
  message: { type: string; sessionId: string; id: string };
  body: Buffer;
  receivedAt: number;
}

type PushAnswer = [status: number, headers?: Record<string, string>];

/** Keys of a browser's subscription, and how it decrypts (RFC 8291, written from the RFC alone). */
export class TestBrowserKeys {
  private readonly ecdh: ECDH = createECDH('prime256v1');
  private readonly authSecret = randomBytes(16);

  constructor(readonly endpoint: string) {
    this.ecdh.generateKeys();
  }

  /** Body of `POST /v1/push-subscriptions`. */
  get subscription() {
    return {
      endpoint: this.endpoint,
      p256dh: this.ecdh.getPublicKey('base64url'),
      auth: this.authSecret.toString('base64url'),
    };
  }

  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const keyEnd = 21 + body.readUInt8(20);
    const senderKey = body.subarray(21, keyEnd);
    const derive = (key: Buffer, saltOf: Buffer, info: Buffer, length: number) =>
      Buffer.from(hkdfSync('sha256', key, saltOf, info, length));
    const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), this.ecdh.getPublicKey(), senderKey]);
    const ikm = derive(this.ecdh.computeSecret(senderKey), this.authSecret, keyInfo, 32);
    const decipher = createDecipheriv(
      'aes-128-gcm',
      derive(ikm, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
      derive(ikm, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
    );
    decipher.setAuthTag(body.subarray(-16));
    const record = Buffer.concat([decipher.update(body.subarray(keyEnd, -16)), decipher.final()]);
    const end = record.lastIndexOf(2);
    if (!record.subarray(end + 1).every((byte) => byte === 0)) throw new Error('The padding is not of zeros.');
    return record.subarray(0, end).toString();
  }
}

/** Push service on loopback (RFC 8030). */
export class PushService {
  readonly received: PushedMessage[] = [];
  /** Status of the responses, and their headers. */
  respond: () => PushAnswer | Promise<PushAnswer> = () => [201];
  private readonly browsers = new Map<string, TestBrowserKeys>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const browser = this.browsers.get(request.url!)!;
        const message = JSON.parse(browser.decrypt(body)) as PushedMessage['message'];
        this.received.push({ browser, headers: request.headers, message, body, receivedAt: Date.now() });
        void Promise.resolve(this.respond()).then((answer) => response.writeHead(...answer).end());
      });
    });
  }

  static async start(): Promise<PushService> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PushService(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  addBrowser(): TestBrowserKeys {
    const path = `/push/${randomBytes(9).toString('base64url')}`;
    const browser = new TestBrowserKeys(this.origin + path);
    this.browsers.set(path, browser);
    return browser;
  }

  messagesTo(browser: TestBrowserKeys): PushedMessage[] {
    return this.received.filter((each) => each.browser === browser);
  }

  /** Waits until the browser has got this number of messages, and returns them. */
  waitForMessages(browser: TestBrowserKeys, count: number, withinMs = 10_000): Promise<PushedMessage[]> {
    return waitFor(() => {
      const messages = this.messagesTo(browser);
      if (messages.length < count) throw new Error(`${messages.length} of ${count} messages`);
      return messages;
    }, withinMs);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Verifies the Authorization header of a message as a push service does (RFC 8292 §4). Returns the claims. */
export async function verifyVapid({ headers }: PushedMessage, applicationServerKey: string) {
  const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '')!;
  if (key !== applicationServerKey) throw new Error('The message has another key than the subscription.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  await jwtVerify(token!, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'), { algorithms: ['ES256'] });
  return decodeJwt(token!);
}

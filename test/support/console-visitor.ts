import { ok, type ForeignDevice } from './device/foreign-device';

export interface PageAnswer {
  status: number;
  headers: Headers;
  html: string;
}

/** A browser as far as HTTP goes: it asks for HTML, keeps the session cookie, and follows no redirect by itself. */
export class ConsoleVisitor {
  cookie: string | null = null;

  constructor(private readonly url: string) {}

  /** @throws Error unless the service signs the device in */
  static async signIn(url: string, device: ForeignDevice): Promise<ConsoleVisitor> {
    const visitor = new ConsoleVisitor(url);
    ok(await visitor.openSession(device), 200);
    return visitor;
  }

  async openSession(device: ForeignDevice, headers: Record<string, string> = {}) {
    const { publicKey } = device.keys;
    const body = { publicKey, ...(await device.signedChallenge({ publicKey })) };
    return this.postJson('/console/session', body, headers);
  }

  async postJson(path: string, json: object, headers: Record<string, string> = {}) {
    const init = { 'Content-Type': 'application/json', Accept: 'application/json', ...headers };
    const answer = await this.request('POST', path, JSON.stringify(json), init);
    return { ...answer, body: answer.html ? JSON.parse(answer.html) : null };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.request('GET', path, undefined, headers);
  }

  post(
    path: string,
    form: Record<string, string> | string[][] = {},
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    return this.request('POST', path, new URLSearchParams(form), headers);
  }

  /** The token of the first form on a page. */
  async csrfToken(path = '/console'): Promise<string> {
    const { html } = await this.get(path);
    return /name="csrf" value="([^"]+)"/.exec(html)![1]!;
  }

  async request(
    method: string,
    path: string,
    body?: string | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const response = await fetch(this.url + path, {
      method,
      body,
      redirect: 'manual',
      headers: {
        Accept: 'text/html,*/*;q=0.8',
        ...(this.cookie !== null && { Cookie: this.cookie }),
        ...headers,
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0]!;
      this.cookie = pair.endsWith('=') ? null : pair;
    }
    return { status: response.status, headers: response.headers, html: await response.text() };
  }
}

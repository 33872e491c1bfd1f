import { expectStatus, type ForeignDevice } from './device/foreign-device';

export interface PageResponse {
  status: number;
  headers: Headers;
  html: string;
}

/** Browser without scripts: requests HTML, stores the login cookie, and doesn't follow redirects. */
export class ConsoleClient {
  cookie: string | null = null;

  constructor(private readonly url: string) {}

  /** @throws Error if the sign-in fails */
  static async signIn(url: string, device: ForeignDevice): Promise<ConsoleClient> {
    const client = new ConsoleClient(url);
    expectStatus(await client.createLogin(device), 200);
    return client;
  }

  async createLogin(device: ForeignDevice, headers: Record<string, string> = {}) {
    const { publicKey } = device.keys;
    const body = { publicKey, ...(await device.signChallenge({ publicKey })) };
    return this.postJson('/console/session', body, headers);
  }

  async postJson(path: string, json: object, headers: Record<string, string> = {}) {
    const init = { 'Content-Type': 'application/json', Accept: 'application/json', ...headers };
    const response = await this.request('POST', path, JSON.stringify(json), init);
    return { ...response, body: response.html ? JSON.parse(response.html) : null };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageResponse> {
    return this.request('GET', path, undefined, headers);
  }

  post(
    path: string,
    form: Record<string, string> | string[][] = {},
    headers: Record<string, string> = {},
  ): Promise<PageResponse> {
    return this.request('POST', path, new URLSearchParams(form), headers);
  }

  /** Returns the CSRF token of the first form on a page. */
  async readCsrfToken(path = '/console'): Promise<string> {
    const { html } = await this.get(path);
    return /name="csrf" value="([^"]+)"/.exec(html)![1]!;
  }

  async request(
    method: string,
    path: string,
    body?: string | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<PageResponse> {
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

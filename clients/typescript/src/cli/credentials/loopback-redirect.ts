import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../errors.ts';

const TIMEOUT_MS = 10 * 60_000;
const ORIGIN = 'http://127.0.0.1';
const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>xapi</title>` +
  `<body style="font:1.1rem/1.5 system-ui;margin:20vh auto;max-width:30rem;padding:0 1rem"><h1>xapi</h1><p>${text}</p>`;

export interface BrowserOptions {
  /** Receives the address that the user must open. */
  showAddress: (address: string) => void;
  opensBrowser: boolean;
}

/** Server on this computer to which a browser brings an answer, on a free port (RFC 8252 §7.3). */
export class LoopbackRedirect {
  /** Only an answer with it counts. */
  readonly state = randomBytes(16).toString('base64url');
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(): Promise<LoopbackRedirect> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoopbackRedirect(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the user open the address, and resolves with this parameter of the answer. Other requests are refused. */
  async waitForAnswer(
    address: URL,
    parameter: string,
    required: Record<string, string>,
    { showAddress, opensBrowser }: BrowserOptions,
  ): Promise<string> {
    const answered = this.#waitForRequest(parameter, { ...required, state: this.state });
    showAddress(address.href);
    if (opensBrowser) openBrowser(address.href);
    return answered;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #waitForRequest(parameter: string, required: Record<string, string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new CliError('Nobody has decided within 10 minutes.', { code: 'timeout', exitCode: 124 })),
        TIMEOUT_MS,
      );
      this.#server.once('close', () => clearTimeout(timer));
      this.#server.on('request', (request, response) => {
        const address = request.url ?? '/';
        // Other programs and pages may ask for anything, such as for //, which is not a URL.
        const { pathname, searchParams } = new URL(URL.canParse(address, ORIGIN) ? address : '/', ORIGIN);
        const answer = (status: number, text: string) =>
          response.writeHead(status, { 'content-type': 'text/html', connection: 'close' }).end(PAGE(text));
        const isExpected = Object.entries(required).every(([name, value]) => searchParams.get(name) === value);
        if (pathname !== '/callback' || !isExpected) {
          answer(400, 'This is not the answer that xapi waits for.');
          return;
        }
        const value = searchParams.get(parameter);
        clearTimeout(timer);
        // The page must arrive before the program ends.
        response.once('finish', () => {
          if (value !== null) resolve(value);
          else
            reject(
              new CliError('The authorization was refused.', { code: searchParams.get('error') ?? 'access_denied' }),
            );
        });
        answer(200, value === null ? 'Nothing was authorized.' : 'You are logged in. You can close this window.');
      });
    });
  }
}

/** Opens the default browser if there is one. The address is also printed. */
function openBrowser(address: string): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const { XAPI_TOKEN: _token, XAPI_CLIENT_SECRET: _secret, ...env } = process.env;
  const child = spawn(command, [address], { stdio: 'ignore', detached: true, env });
  child.once('error', () => undefined);
  child.unref();
}

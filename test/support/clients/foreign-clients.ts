import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const JAVA_CLIENTS = join(__dirname, 'JavaClients.java');

export interface ForeignRequest {
  method: 'GET' | 'POST';
  url: string;
  /** JSON body of a POST. */
  body?: string;
}

export interface ForeignResponse {
  /** 0 without an HTTP response. */
  status: number;
  body: string;
}

/** Sends requests sequentially. Reuses the connection if the client does so by default. */
export type ForeignClient = (token: string, requests: readonly ForeignRequest[]) => Promise<ForeignResponse[]>;

/** Returns a client that runs `curl` with these options. */
export function createCurlClient(...options: string[]): ForeignClient {
  return async (token, requests) => {
    const args = requests.flatMap(({ method, url, body }, index) => [
      ...(index > 0 ? ['--next'] : []),
      ...['--silent', '--max-time', '40', '--write-out', '\t%{http_code}\n', ...options],
      ...['--request', method, '--header', `Authorization: Bearer ${token}`, url],
      ...(body === undefined ? [] : ['--header', 'Content-Type: application/json', '--data', body]),
    ]);
    // The exit code isn't 0 if a request got no response.
    const { stdout } = await execFileAsync('curl', args).catch((error: { stdout: string }) => error);
    return splitOutputLines(stdout).map((line) => {
      const [body, status] = line.split('\t');
      return { status: Number(status), body: body! };
    });
  };
}

/** HTTP client of Node.js. */
export const nodeFetchClient: ForeignClient = async (token, requests) => {
  const responses: ForeignResponse[] = [];
  for (const { method, url, body } of requests) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const pendingResponse = fetch(url, { method, headers, body }).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      (error: Error) => ({ status: 0, body: error.message }),
    );
    responses.push(await pendingResponse);
  }
  return responses;
};

/** Client of the Java runtime in its default configuration. */
export function createJavaClient(type: 'HttpURLConnection' | 'HttpClient'): ForeignClient {
  return async (token, requests) => {
    const args = requests.flatMap(({ method, url, body = '' }) => [method, url, body]);
    const { stdout } = await execFileAsync('java', [JAVA_CLIENTS, type, token, ...args]);
    return splitOutputLines(stdout).map((line) => {
      const [status, body] = line.split('\t');
      return { status: Number(status), body: body! };
    });
  };
}

function splitOutputLines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

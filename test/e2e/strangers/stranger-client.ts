/**
 * A client that was written from the protocol's pages alone. It has a personal access token and fetch, no cryptography.
 */
import { randomUUID } from 'node:crypto';

type Problem = {
  code: string;
  detail: string;
  requestId: string;
  status: number;
  outcome?: string;
  required?: string[];
};
type Page<T> = { data: T[]; nextCursor: string | null };
type Single<T> = { data: T };
type Relayed<T> = { requestId: string; result: T };

export type Me = { account: { id: string; username: string }; token: { id: string; type: string; scopes: string[] } };
export type Session = { id: string; tag: string; state: string; lastSeq: number; contentGranted: boolean };
export type Machine = { id: string; name: string; state: string; capabilities: string[] };
export type Message = { id: string; seq: number; role: string; localId: string };
export type Content = { encoding: string; mediaType: string; content: string; contentEncoding: string };
export type Command = { exitCode: number; stdout: string; timedOut: boolean };
export type Reply = { accepted: true; messageId: string | null; reply: string | null };
export type Usage = { operation: string; requests: number; errors: number };

/** Every error of the service is a problem document, and programs tell errors apart by the member `code`. */
export class StrangerError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail} (${problem.requestId})`);
    this.problem = problem;
  }

  get code(): string {
    return this.problem.code;
  }
}

export class StrangerClient {
  private readonly base: string;
  private readonly token: string;

  constructor(url: string, token: string) {
    this.base = `${url}/external/v1`;
    this.token = token;
  }

  async me(): Promise<Me> {
    return (await this.get<Single<Me>>('/me')).data;
  }

  /** Walks over every page of a list, and counts the pages so that a caller can see that there were several. */
  async list<T>(path: string, filters: Record<string, string> = {}, limit = 50): Promise<{ rows: T[]; pages: number }> {
    const rows: T[] = [];
    let pages = 0;
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ ...filters, limit: String(limit) });
      if (cursor !== null) query.set('cursor', cursor);
      const page: Page<T> = await this.get<Page<T>>(`${path}?${query}`);
      rows.push(...page.data);
      pages += 1;
      cursor = page.nextCursor;
    } while (cursor !== null);
    return { rows, pages };
  }

  /** Runs a command; with its own key, a repeat after a lost connection would not run it twice. */
  async invoke(machineId: string, command: string, args: string[] = []): Promise<Command> {
    return this.relay<Command>(`/machines/${machineId}/invoke`, { command, args });
  }

  async send(sessionId: string, content: string): Promise<Reply> {
    return this.relay<Reply>(`/sessions/${sessionId}/messages`, { content });
  }

  /** Reads one message in plaintext, or null as long as no device has granted this token the key of the session. */
  async read(sessionId: string, messageId: string): Promise<Content | null> {
    try {
      const path = `/sessions/${sessionId}/messages/${messageId}/content?encoding=plaintext`;
      return (await this.get<Single<Content>>(path)).data;
    } catch (error) {
      if (error instanceof StrangerError && error.code === 'no_content_grant') return null;
      throw error;
    }
  }

  /** Counts the calls of this account by operation, over all days; the service writes them after its responses. */
  async usage(): Promise<Map<string, number>> {
    const { rows } = await this.list<Usage>('/usage', { groupBy: 'operation' });
    const counts = new Map<string, number>();
    for (const { operation, requests } of rows) counts.set(operation, (counts.get(operation) ?? 0) + requests);
    return counts;
  }

  private get<T>(path: string): Promise<T> {
    return this.call<T>(path, { method: 'GET' });
  }

  private async relay<T>(path: string, body: object): Promise<T> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    return (await this.call<Relayed<T>>(path, { method: 'POST', headers, body: JSON.stringify(body) })).result;
  }

  private async call<T>(
    path: string,
    request: { method: string; headers?: Record<string, string>; body?: string },
  ): Promise<T> {
    const headers = { ...request.headers, Authorization: `Bearer ${this.token}` };
    const response = await fetch(this.base + path, { ...request, headers });
    const body: unknown = await response.json();
    if (!response.ok) throw new StrangerError(body as Problem);
    return body as T;
  }
}

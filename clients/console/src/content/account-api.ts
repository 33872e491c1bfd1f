import { requestJson, requestStream, type ResultKind } from '../lib/api-client';

/** Page of a list. */
export interface ListPage<T> {
  data: T[];
  nextCursor: string | null;
}

type Parameters = Record<string, string | number | undefined>;

/**
 * Calls of a signed-in page: the login cookie, with the CSRF token of the page (docs/protocol/device-api.md#control).
 * All methods throw ServiceError for an error response, and UnreachableError if no answer of the service arrived.
 */
export class AccountApi {
  constructor(private readonly csrfToken: string) {}

  /** Returns `data` of a record. */
  async getRecord<T>(path: string): Promise<T> {
    return ((await this.call('GET', path, 'record')) as { data: T }).data;
  }

  /** Returns what the machine answered. */
  async getResult<T>(path: string): Promise<T> {
    return ((await this.call('GET', path, 'result')) as { result: T }).result;
  }

  async getPage<T>(path: string, parameters: Parameters = {}): Promise<ListPage<T>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
    return (await this.call('GET', `${path}?${query.toString()}`, 'list')) as ListPage<T>;
  }

  /** Returns all records of a list, at most `limit`. */
  async getAll<T>(path: string, parameters: Parameters = {}, limit = 1_000): Promise<T[]> {
    const found: T[] = [];
    let cursor: string | null = null;
    do {
      const page: ListPage<T> = await this.getPage<T>(path, cursor ? { cursor } : parameters);
      found.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor && found.length < limit);
    return found.slice(0, limit);
  }

  /**
   * Returns the body of the response, `data` included.
   * @param idempotencyKey same key for a repeated call, which then runs once
   */
  async post<T>(path: string, body: object, idempotencyKey?: string): Promise<T> {
    const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {};
    return (await this.call('POST', path, 'any', body, headers)) as T;
  }

  async patch(path: string, body: object): Promise<void> {
    await this.call('PATCH', path, 'record', body);
  }

  /** Returns what the machine answered. The call may be repeated. */
  async patchResult<T>(path: string, body: object): Promise<T> {
    return ((await this.call('PATCH', path, 'result', body)) as { result: T }).result;
  }

  async delete(path: string): Promise<void> {
    await this.call('DELETE', path, 'none');
  }

  /** Opens an event stream. @param lastEventId cursor of the last event that was read */
  async openStream(path: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { 'X-CSRF-Token': this.csrfToken };
    if (lastEventId) headers['Last-Event-ID'] = lastEventId;
    return requestStream(path, headers, signal);
  }

  private call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    kind: ResultKind,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<object> {
    return requestJson(method, path, kind, { body, headers: { ...headers, 'X-CSRF-Token': this.csrfToken } });
  }
}

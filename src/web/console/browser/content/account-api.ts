import { requestJson, ServiceError, UnreachableError, type JsonResponse } from '../lib/api-client';

/** Page of a list. */
export interface ListPage<T> {
  data: T[];
  nextCursor: string | null;
}

type Parameters = Record<string, string | number | undefined>;

/**
 * Calls of a signed-in page: the login cookie, with the CSRF token of the page (docs/protocol/device-api.md#control).
 * All methods throw ServiceError for an error response, and UnreachableError if no response arrived.
 */
export class AccountApi {
  constructor(private readonly csrfToken: string) {}

  /** Returns `data` of a record. */
  async getRecord<T>(path: string): Promise<T> {
    return ((await this.call('GET', path)).body as { data: T }).data;
  }

  /** Returns the whole body of the response. */
  async getBody<T>(path: string): Promise<T> {
    return (await this.call('GET', path)).body as T;
  }

  async getPage<T>(path: string, parameters: Parameters = {}): Promise<ListPage<T>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
    return (await this.call('GET', `${path}?${query.toString()}`)).body as unknown as ListPage<T>;
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
    return (await this.call('POST', path, body, headers)).body as T;
  }

  async delete(path: string): Promise<void> {
    await this.call('DELETE', path);
  }

  /** Opens an event stream. @param lastEventId cursor of the last event that was read */
  async openStream(path: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { Accept: 'text/event-stream', 'X-CSRF-Token': this.csrfToken };
    if (lastEventId) headers['Last-Event-ID'] = lastEventId;
    const response = await fetch(path, { headers, cache: 'no-store', signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new UnreachableError();
    });
    if (response.ok) return response;
    throw new ServiceError(response.status, (await response.json().catch(() => ({}))) as object);
  }

  private call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<JsonResponse> {
    return requestJson(method, path, { body, headers: { ...headers, 'X-CSRF-Token': this.csrfToken } });
  }
}

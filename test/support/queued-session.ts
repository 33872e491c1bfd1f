import { expectStatus } from './device/foreign-device';
import type { HttpClient, HttpResponse, RequestOptions } from './http-client';
import { waitFor } from './wait-for';

/** Time in which a message reaches a state, on a busy machine too. The service looks every two seconds. */
const STATE_TIMEOUT_MS = 30_000;

/** Session whose messages a caller queues. */
export class QueuedSession {
  constructor(
    private readonly http: HttpClient,
    private readonly token: string,
    readonly id: string,
    /** `/v1/control` for an account device. */
    private readonly basePath = '/external/v1',
  ) {}

  get listPath(): string {
    return `${this.basePath}/sessions/${this.id}/queued-messages`;
  }

  /** The same session on another instance or for another caller. */
  via({ http = this.http, token = this.token }: { http?: HttpClient; token?: string }): QueuedSession {
    return new QueuedSession(http, token, this.id, this.basePath);
  }

  postMessage(content: string, delivery: object = {}, options: RequestOptions = {}): Promise<HttpResponse> {
    const body = { content, delivery: { mode: 'queue', ...delivery } };
    return this.http.post(`${this.basePath}/sessions/${this.id}/messages`, this.token, body, options);
  }

  /** Queues a message and returns its id. */
  async queueMessage(content: string, delivery: object = {}): Promise<string> {
    return expectStatus(await this.postMessage(content, delivery), 202).result.queuedMessageId;
  }

  cancelMessage(id: string): Promise<HttpResponse> {
    return this.http.delete(`${this.listPath}/${id}`, this.token);
  }

  /** Returns the records, oldest first. */
  async list(query = ''): Promise<any[]> {
    const answer = await this.http.get(`${this.listPath}?order=asc&limit=200${query}`, this.token);
    return expectStatus(answer, 200).data;
  }

  async getMessage(id: string): Promise<any> {
    return (await this.list()).find((record) => record.id === id);
  }

  /** Resolves to the record once it is in this state. */
  waitForState(id: string, state: string): Promise<any> {
    return waitFor(async () => {
      const record = await this.getMessage(id);
      expect(record).toMatchObject({ state });
      return record;
    }, STATE_TIMEOUT_MS);
  }
}

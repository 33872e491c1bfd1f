import { readEvents, type EventOptions, type StreamEvent } from './events/event-stream.ts';
import { PagedList } from './http/paged-list.ts';
import { Transport, type ApiResponse, type ClientOptions, type RequestOptions } from './http/transport.ts';
import { Artifacts } from './resources/artifacts.ts';
import { ContentReader, type Content, type ContentOptions } from './resources/content.ts';
import { Machines } from './resources/machines.ts';
import { Sessions } from './resources/sessions.ts';
import { Webhooks } from './resources/webhooks.ts';
import type { CallOptions, Me, Message, QueryOf, Usage } from './types.ts';

type ReadOptions = Pick<CallOptions, 'signal'>;

/**
 * Client of the External API of one host, with one credential.
 *
 * Every call is repeated where that is safe: after refusals until `Retry-After`, and after failures whose effect is
 * unknown under the call's Idempotency-Key. Errors are {@link ApiError}s; match on `code`. Those of every call:
 * `invalid_token`, `insufficient_scope`, `machine_not_allowed`, `rate_limited`, `invalid_request`,
 * `service_unavailable`, and `connection_failed` without a response.
 */
export class ExternalApiClient {
  readonly sessions: Sessions;
  readonly machines: Machines;
  readonly artifacts: Artifacts;
  readonly webhooks: Webhooks;
  /** Counts of calls. Scope `usage:read`. */
  readonly usage: { get(query?: QueryOf<'getUsage'>, options?: ReadOptions): PagedList<Usage> };
  readonly #transport: Transport;
  readonly #contents: ContentReader;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.#contents = new ContentReader(transport);
    this.sessions = new Sessions(transport, this.#contents);
    this.machines = new Machines(transport);
    this.artifacts = new Artifacts(transport, this.#contents);
    this.webhooks = new Webhooks(transport);
    this.usage = { get: (query, readOptions) => new PagedList(transport, '/usage', query, readOptions) };
  }

  /** Returns the account, the token with its scopes, the plan and the rate limits. */
  async me(options: ReadOptions = {}): Promise<Me> {
    const { body } = await this.#transport.request<Me>('GET', '/me', { signal: options.signal });
    return body;
  }

  /**
   * Reads the text of a message. With `key`, decrypts it here, and checks that it is the text of this message.
   * Scope `sessions:content`.
   * @param message the record of the message, or its ID, whose record is read first if the text is sealed
   * @throws ApiError `no_content_grant`, `grant_key_mismatch`
   * @throws SealedContentError if the key doesn't open the text, or the text is not that of this message
   */
  content(sessionId: string, message: string | Message, options?: ContentOptions): Promise<Content> {
    return this.#contents.readMessage(sessionId, message, options);
  }

  /**
   * Streams events of the account or of a session. Connections that break are opened again, and no event is lost or
   * repeated. Leave the loop or abort the signal to end the stream.
   * @throws ApiError `stream_expired` after an absence of more than 24 hours or 10,000 events, or a restore of the
   * service: list the records, and begin without `after`
   */
  events(options: EventOptions = {}): AsyncGenerator<StreamEvent, void> {
    return readEvents(this.#transport, options);
  }

  /**
   * Sends any call, with the client's retries.
   * @param path below `/external/v1`, such as `/sessions`
   */
  request<Body = unknown>(method: string, path: string, options?: RequestOptions): Promise<ApiResponse<Body>> {
    return this.#transport.request<Body>(method, path, options);
  }
}

import { PagedList } from '../http/paged-list.ts';
import type { Transport } from '../http/transport.ts';
import type { Artifact, CallOptions, QueryOf } from '../types.ts';
import type { Content, ContentOptions, ContentReader } from './content.ts';

/** Files that agents have made: `client.artifacts`. */
export class Artifacts {
  readonly #transport: Transport;
  readonly #contents: ContentReader;

  constructor(transport: Transport, contents: ContentReader) {
    this.#transport = transport;
    this.#contents = contents;
  }

  /** Lists artifacts, newest first. Scope `artifacts:read`. */
  list(query?: QueryOf<'listArtifacts'>, options?: Pick<CallOptions, 'signal'>): PagedList<Artifact> {
    return new PagedList(this.#transport, '/artifacts', query, options);
  }

  /** @throws ApiError `not_found` */
  async get(id: string, options: Pick<CallOptions, 'signal'> = {}): Promise<Artifact> {
    const { body } = await this.#transport.request<{ data: Artifact }>('GET', `/artifacts/${encodeURIComponent(id)}`, {
      signal: options.signal,
    });
    return body.data;
  }

  /**
   * Reads and, with `key`, decrypts the content. Scope `artifacts:content`.
   * @throws ApiError `no_content_grant`, `grant_key_mismatch`
   * @throws SealedContentError
   */
  content(id: string, options?: ContentOptions): Promise<Content> {
    return this.#contents.readArtifact(id, options);
  }
}

import { ApiError } from '../errors.ts';
import type { RequestOptions, Transport } from './transport.ts';

export interface Page<Item> {
  data: Item[];
  /** Null on the last page. */
  nextCursor: string | null;
}

type ListOptions = Pick<RequestOptions, 'signal'>;

/** A list of the service. Iterating reads all pages, each when it is needed. */
export class PagedList<Item, P extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: RequestOptions['query'];
  readonly #options: ListOptions;

  constructor(transport: Transport, path: string, query: object = {}, options: ListOptions = {}) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query as RequestOptions['query'];
    this.#options = options;
  }

  /** Reads one page: the first one, or the one of a cursor. */
  async page(cursor?: string): Promise<P> {
    const query = cursor === undefined ? this.#query : { ...this.#query, cursor };
    const { body } = await this.#transport.request<P>('GET', this.#path, { query, ...this.#options });
    return body;
  }

  async *pages(): AsyncGenerator<P, void> {
    for (let cursor: string | undefined; ;) {
      const page = await this.page(cursor);
      yield page;
      if (page.nextCursor === null) return;
      if (page.nextCursor === cursor) throw createRepeatedCursorError();
      cursor = page.nextCursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Reads all items, or the first ones up to a number. */
  async toArray(max = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    if (max <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= max) break;
    }
    return items;
  }
}

function createRepeatedCursorError(): ApiError {
  const message = 'The list does not advance: the service repeated a cursor.';
  return new ApiError({ status: 200, code: 'unexpected_response', message });
}

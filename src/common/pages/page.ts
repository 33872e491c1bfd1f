/** Maximum bytes of content per page. A page ends early at this size but has at least one item. */
export const MAX_PAGE_BYTES = 8 * 1_048_576;

/** Response body of all lists; `nextCursor` is null on the last page. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export function mapPage<A, B>(page: Page<A>, map: (item: A) => B): Page<B> {
  return { data: page.data.map(map), nextCursor: page.nextCursor };
}

/** The envelope of every list; `nextCursor` is null on the last page. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export function mapPage<A, B>(page: Page<A>, map: (item: A) => B): Page<B> {
  return { data: page.data.map(map), nextCursor: page.nextCursor };
}

import { expectStatus } from './device/foreign-device';
import type { HttpClient } from './http-client';

type ListParameters = Record<string, string | number | undefined>;

/** Returns a list's path with these parameters. */
export function buildListPath(path: string, listParameters: ListParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(listParameters)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return `${path}?${search.toString()}`;
}

/** Reads all pages of a list and returns the ids in order. */
export async function fetchAllIds(
  http: HttpClient,
  token: string,
  path: string,
  listParameters: ListParameters = {},
  betweenPages: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const { data, nextCursor } = expectStatus(
      await http.get(buildListPath(path, { ...listParameters, cursor }), token),
      200,
    );
    ids.push(...data.map((row: { id: string }) => row.id));
    if (nextCursor === null) return ids;
    cursor = nextCursor;
    await betweenPages(page);
  }
}

import { ok } from './device/foreign-device';
import type { HttpClient } from './http-client';

type Parameters = Record<string, string | number | undefined>;

/** A list's address with these parameters. */
export function listPath(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return `${path}?${search.toString()}`;
}

/** Every id of a list, page by page, in the order of the list. */
export async function walk(
  http: HttpClient,
  token: string,
  path: string,
  parameters: Parameters = {},
  betweenPages: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const { data, nextCursor } = ok(await http.get(listPath(path, { ...parameters, cursor }), token), 200);
    ids.push(...data.map((row: { id: string }) => row.id));
    if (nextCursor === null) return ids;
    cursor = nextCursor;
    await betweenPages(page);
  }
}

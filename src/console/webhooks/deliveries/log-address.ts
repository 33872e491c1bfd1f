import type { LogQuery } from './log-query.dto';

export const FILTERS = ['state', 'type', 'since', 'until'] as const;

/** Whether it shows a part of the log. */
export function isFiltered(query: LogQuery): boolean {
  return FILTERS.some((name) => query[name]);
}

/** Of the log's first page, with the filters that are set. */
export function logAddress(path: string, query: LogQuery): string {
  const set = FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : []));
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set).toString()}`;
}

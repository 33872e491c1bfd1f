import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_BYTES, MAX_PAGE_SIZE, type Page, type PageQueryDto } from '../../../common/pages';
import { UnitOfWork } from '../unit-of-work';
import { CursorService, invalidCursorError, type Cursor, type CursorFilters, type KeysetValue } from './cursor.service';

/** Adds a parameter to the statement and returns its placeholder. */
export type BindParameter = (value: unknown) => string;

/** Returns the condition for the value of a filter, by the name of the filter. */
export type FilterConditions = Record<string, (value: string | number, bindParameter: BindParameter) => string>;

export interface KeysetListDefinition<Row> {
  /** Name of the list in cursors. */
  name: string;
  /** Owner of the rows, which is part of the cursor and usually the first condition. */
  ownerId: string;
  /** `SELECT … FROM …`; a function if it depends on the filters. */
  select: string | ((filters: CursorFilters) => string);
  /** Returns the conditions for the owner, and for filters that have no entry in `filterConditions`. */
  where: (filters: CursorFilters, bindParameter: BindParameter) => string[];
  filterConditions?: FilterConditions;
  /** Stable total order of the rows; a function if it depends on the filters. */
  key: KeysetKey<Row> | ((filters: CursorFilters) => KeysetKey<Row>);
  /** Whether rows are aggregates, grouped by the key's columns. */
  isGrouped?: boolean;
  /**
   * Whether rows have content: `select` includes {@link buildPageSizeColumns}, and pages end early at `MAX_PAGE_BYTES`.
   */
  isSizeLimited?: boolean;
  /** Order of queries without `order`. Defaults to `desc` (newest first). */
  defaultOrder?: 'asc' | 'desc';
}

/** Columns that order a list, with their types for comparison, and a row's values of these columns. */
export interface KeysetKey<Row> {
  columns: [sql: string, type: 'timestamptz' | 'text' | 'integer'][];
  getValues: (row: Row) => KeysetValue[];
}

/** Returns the key `(created_at, id)`, which most lists use. Cursors contain times as Unix ms. */
export function creationOrderKey(alias: string): KeysetKey<{ id: string; created_at: Date }> {
  return {
    columns: [
      [`${alias}.created_at`, 'timestamptz'],
      [`${alias}.id`, 'text'],
    ],
    getValues: (row) => [row.created_at.getTime(), row.id],
  };
}

/**
 * Returns the columns that a size-limited list requires. The database computes them without reading content beyond
 * the page.
 * @param bytes SQL for the size of a row's content
 */
export function buildPageSizeColumns(bytes: string): string {
  return `sum(${bytes}) OVER page AS page_bytes, row_number() OVER page AS page_place,
    lead(true) OVER page AS page_goes_on`;
}

/** Reads pages of all lists by keyset pagination, so that page 1,000 is as fast as page 1. */
@Injectable()
export class KeysetPageReader {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly cursorService: CursorService,
  ) {}

  /**
   * @param query `limit`, `cursor`, `order` and the filters of the list
   * @throws ApiError `invalid_cursor` for a forged cursor, or one of another list, order or filters
   */
  async readPage<Row>(list: KeysetListDefinition<Row>, query: PageQueryDto): Promise<Page<Row>> {
    const scope = `${list.name}:${list.ownerId}`;
    const { cursor: text, limit = DEFAULT_PAGE_SIZE, order: givenOrder, ...givenFilters } = query;
    const cursor = text === undefined ? null : this.cursorService.decodeCursor(text);
    if (cursor) requireSameList(cursor, scope, givenFilters, givenOrder);
    const filters = cursor?.filters ?? omitUndefined(givenFilters);
    const order = cursor?.order ?? givenOrder ?? list.defaultOrder ?? 'desc';
    const size = Math.min(limit, MAX_PAGE_SIZE);

    const key = typeof list.key === 'function' ? list.key(filters) : list.key;
    const rows = await this.fetchRows<Row>(
      { ...list, key },
      filters,
      order,
      cursor,
      list.isSizeLimited ? size : size + 1,
    );
    const data = rows.slice(0, size);
    const last = data.at(-1);
    const hasMore = list.isSizeLimited ? (last as SizeLimitedRow | undefined)?.page_goes_on : rows.length > size;
    return {
      data,
      nextCursor:
        hasMore && last !== undefined
          ? this.cursorService.encodeCursor({
              list: scope,
              filters,
              order,
              after: key.getValues(last),
            })
          : null,
    };
  }

  private fetchRows<Row>(
    list: KeysetListDefinition<Row> & { key: KeysetKey<Row> },
    filters: CursorFilters,
    order: 'asc' | 'desc',
    cursor: Cursor | null,
    size: number,
  ): Promise<Row[]> {
    const { select, where, filterConditions = {}, key, isGrouped, isSizeLimited } = list;
    const parameters: unknown[] = [];
    const bindParameter: BindParameter = (value) => `$${parameters.push(value)}`;
    const from = typeof select === 'string' ? select : select(filters);
    const conditions = where(filters, bindParameter);
    for (const [name, value] of Object.entries(filters)) {
      const condition = filterConditions[name]?.(value, bindParameter);
      if (condition !== undefined) conditions.push(condition);
    }
    const columns = key.columns.map(([sql]) => sql);
    if (cursor) {
      const comparison = order === 'asc' ? '>' : '<';
      const values = key.columns.map(([, type], i) => bindKeysetValue(type, cursor.after[i]!, bindParameter));
      conditions.push(`(${columns.join(', ')}) ${comparison} (${values.join(', ')})`);
    }
    const orderBy = `ORDER BY ${columns.map((sql) => `${sql} ${order}`).join(', ')}`;
    const page = `${from} WHERE ${conditions.join(' AND ')}
       ${isGrouped ? `GROUP BY ${columns.join(', ')}` : ''}
       ${isSizeLimited ? `WINDOW page AS (${orderBy} ROWS UNBOUNDED PRECEDING)` : ''}
       ${orderBy} LIMIT ${bindParameter(size)}`;
    return this.unitOfWork.queryRows<Row>(isSizeLimited ? limitPageBytes(page, bindParameter) : page, parameters);
  }
}

interface SizeLimitedRow {
  page_goes_on: true | null;
}

/** Limits a page to `MAX_PAGE_BYTES`, but always includes its first row. */
function limitPageBytes(page: string, bindParameter: BindParameter): string {
  return `SELECT * FROM (${page}) weighed
           WHERE page_place = 1 OR page_bytes <= ${bindParameter(MAX_PAGE_BYTES)} ORDER BY page_place`;
}

function bindKeysetValue(type: string, value: KeysetValue, bindParameter: BindParameter): string {
  const parameter = bindParameter(type === 'timestamptz' ? new Date(value) : value);
  return type === 'text' ? parameter : `${parameter}::${type}`;
}

function requireSameList(cursor: Cursor, scope: string, givenFilters: CursorFilters, order?: string): void {
  const isSameList =
    cursor.list === scope &&
    (order === undefined || order === cursor.order) &&
    Object.entries(omitUndefined(givenFilters)).every(([name, value]) => cursor.filters[name] === value);
  if (!isSameList) throw invalidCursorError('The cursor belongs to another list or to other filters.');
}

function omitUndefined(filters: object): CursorFilters {
  const entries = Object.entries(filters) as [string, string | number | undefined][];
  return Object.fromEntries(entries.filter((entry): entry is [string, string | number] => entry[1] !== undefined));
}

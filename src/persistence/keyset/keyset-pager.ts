import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Page, type PageQuery } from '../../common/pages';
import { UnitOfWork } from '../unit-of-work';
import { CursorCodec, invalidCursor, type Cursor, type Filters, type KeyValue } from './cursor-codec';

/** Adds a parameter to the statement and gives its placeholder. */
export type Bind = (value: unknown) => string;

export interface KeysetList<Row> {
  /** Names the list in its cursors. */
  name: string;
  /** Owner of the rows, bound into the cursor and usually the first condition. */
  owner: string;
  /** `SELECT … FROM …`; a function where it depends on the filters. */
  select: string | ((filters: Filters) => string);
  /** Conditions for the owner and for each filter that is set. */
  where: (filters: Filters, bind: Bind) => string[];
  /** A total order of the rows that never changes; a function where it depends on the filters. */
  key: KeysetKey<Row> | ((filters: Filters) => KeysetKey<Row>);
  /** Rows are sums over those that have these columns, which are the key's, in common. */
  grouped?: boolean;
  /** Of a list that is asked without `order`; newest first unless it says otherwise. */
  defaultOrder?: 'asc' | 'desc';
}

/** The columns that order a list, with the type that each is compared as, and a row's values in them. */
export interface KeysetKey<Row> {
  columns: [sql: string, type: 'timestamptz' | 'text' | 'integer'][];
  valuesOf: (row: Row) => KeyValue[];
}

/** `(created_at, id)` under an alias: the order of nearly every list. Times travel as Unix ms. */
export function byCreation(alias: string): KeysetKey<{ id: string; created_at: Date }> {
  return {
    columns: [
      [`${alias}.created_at`, 'timestamptz'],
      [`${alias}.id`, 'text'],
    ],
    valuesOf: (row) => [row.created_at.getTime(), row.id],
  };
}

/** The one implementation of pages: keyset, so that page 1,000 costs what page 1 costs. */
@Injectable()
export class KeysetPager {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * @param query `limit`, `cursor`, `order`, and the list's filters beside them
   * @throws ApiError `invalid_cursor` for a forged cursor, another list's, or one made with other filters
   */
  async page<Row>(list: KeysetList<Row>, query: PageQuery): Promise<Page<Row>> {
    const scope = `${list.name}:${list.owner}`;
    const { cursor: text, limit = DEFAULT_PAGE_SIZE, order: givenOrder, ...given } = query;
    const cursor = text === undefined ? null : this.cursors.decode(text);
    if (cursor) requireSameList(cursor, scope, given, givenOrder);
    const filters = cursor?.filters ?? definedOnly(given);
    const order = cursor?.order ?? givenOrder ?? list.defaultOrder ?? 'desc';
    const size = Math.min(limit, MAX_PAGE_SIZE);

    const key = typeof list.key === 'function' ? list.key(filters) : list.key;
    const rows = await this.fetch<Row>({ ...list, key }, filters, order, cursor, size + 1);
    const data = rows.slice(0, size);
    const last = data.at(-1);
    const more = rows.length > size && last !== undefined;
    return {
      data,
      nextCursor: more ? this.cursors.encode({ list: scope, filters, order, after: key.valuesOf(last) }) : null,
    };
  }

  private fetch<Row>(
    { select, where, key, grouped }: KeysetList<Row> & { key: KeysetKey<Row> },
    filters: Filters,
    order: 'asc' | 'desc',
    cursor: Cursor | null,
    size: number,
  ): Promise<Row[]> {
    const parameters: unknown[] = [];
    const bind: Bind = (value) => `$${parameters.push(value)}`;
    const from = typeof select === 'string' ? select : select(filters);
    const conditions = where(filters, bind);
    const columns = key.columns.map(([sql]) => sql);
    if (cursor) {
      const beyond = order === 'asc' ? '>' : '<';
      const values = key.columns.map(([, type], i) => bindAs(type, cursor.after[i]!, bind));
      conditions.push(`(${columns.join(', ')}) ${beyond} (${values.join(', ')})`);
    }
    return this.unitOfWork.query<Row>(
      `${from} WHERE ${conditions.join(' AND ')}
       ${grouped ? `GROUP BY ${columns.join(', ')}` : ''}
       ORDER BY ${columns.map((sql) => `${sql} ${order}`).join(', ')} LIMIT ${bind(size)}`,
      parameters,
    );
  }
}

function bindAs(type: string, value: KeyValue, bind: Bind): string {
  const parameter = bind(type === 'timestamptz' ? new Date(value) : value);
  return type === 'text' ? parameter : `${parameter}::${type}`;
}

function requireSameList(cursor: Cursor, scope: string, given: Filters, order?: string): void {
  const same =
    cursor.list === scope &&
    (order === undefined || order === cursor.order) &&
    Object.entries(definedOnly(given)).every(([name, value]) => cursor.filters[name] === value);
  if (!same) throw invalidCursor('The cursor belongs to another list or to other filters.');
}

function definedOnly(filters: object): Filters {
  const entries = Object.entries(filters) as [string, string | number | undefined][];
  return Object.fromEntries(entries.filter((entry): entry is [string, string | number] => entry[1] !== undefined));
}

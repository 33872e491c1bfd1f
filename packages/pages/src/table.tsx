import type { ComponentChildren } from 'preact';

export interface TableColumn<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  /** Right-aligns the column's numbers. */
  isNumber?: boolean;
}

interface TableProps<T> {
  /** Caption for screen readers. */
  caption: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  getKey: (row: T) => string | number;
  /** Rows are updated in place inside a `LiveRegion`. */
  isLive?: boolean;
}

/** Table that narrow screens show as one card per row with labelled cells. */
export function Table<T>({ caption, columns, rows, getKey, isLive }: TableProps<T>) {
  return (
    <table class="list">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-parts={isLive ? '' : undefined}>
        {rows.map((row) => (
          <tr key={getKey(row)} data-key={getKey(row)}>
            {columns.map(({ name, cell, isNumber }) => (
              <td key={name} data-name={name} class={isNumber ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

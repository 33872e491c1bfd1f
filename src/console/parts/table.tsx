import type { ComponentChildren } from 'preact';

export interface Column<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  /** Figures stand under each other. */
  isNumber?: boolean;
}

interface TableProps<T> {
  /** What it lists, for those who do not see it. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
  /** Its rows are kept as they are on the server (following.tsx). */
  followed?: boolean;
}

/** A list; on a narrow screen each row stands as a card that names its cells. */
export function Table<T>({ caption, columns, rows, keyOf, followed }: TableProps<T>) {
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
      <tbody data-parts={followed ? '' : undefined}>
        {rows.map((row) => (
          <tr key={keyOf(row)} data-key={keyOf(row)}>
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

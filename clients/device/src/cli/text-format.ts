/** Formats columns padded to their widest cell, two spaces apart. Cells may have untrusted text. */
export function formatTable(header: string[], rows: string[][]): string {
  const all = [header, ...rows.map((row) => row.map(sanitizeLine))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats one `Name  value` line per pair, with aligned values. Values may have untrusted text. */
export function formatFields(pairs: [string, string][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${sanitizeLine(value)}`).join('\n');
}

/** Formats a time as `2026-01-31 14:05` in local time, or `-` when it is absent. */
export function formatTimestamp(unixMs: number | null | undefined): string {
  if (unixMs === null || unixMs === undefined) return '-';
  const local = new Date(unixMs - new Date(unixMs).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}

/** Applies {@link sanitizeLine} to each line of a text, but preserves tabs. */
export function sanitizeText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(sanitizeLine).join('\t'))
    .join('\n');
}

/** Replaces control and format characters: untrusted text must not move the cursor or rewrite a line. */
export function sanitizeLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

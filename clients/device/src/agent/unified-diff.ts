const CONTEXT_LINES = 3;

export interface FileEdit {
  path: string;
  /** Null for a new file. */
  oldText: string | null;
  newText: string;
}

/**
 * Returns a unified diff with one hunk: the lines between the first and the last change. It is valid, and larger than
 * necessary if the file changed in several places. Takes linear time, since agents send files of any size.
 */
export function formatUnifiedDiff({ path, oldText, newText }: FileEdit): string {
  if (oldText === newText) return '';
  const oldLines = splitLines(oldText ?? '');
  const newLines = splitLines(newText);
  const prefix = countEqualLines(
    oldLines,
    newLines,
    Math.min(oldLines.length, newLines.length),
    (lines, i) => lines[i],
  );
  const suffixLimit = Math.min(oldLines.length, newLines.length) - prefix;
  const suffix = countEqualLines(oldLines, newLines, suffixLimit, (lines, i) => lines[lines.length - 1 - i]);
  const start = Math.max(0, prefix - CONTEXT_LINES);
  const trailing = Math.min(CONTEXT_LINES, suffix);
  const hunk = [
    ...oldLines.slice(start, prefix).map((line) => ` ${line}`),
    ...oldLines.slice(prefix, oldLines.length - suffix).map((line) => `-${line}`),
    ...newLines.slice(prefix, newLines.length - suffix).map((line) => `+${line}`),
    ...oldLines.slice(oldLines.length - suffix, oldLines.length - suffix + trailing).map((line) => ` ${line}`),
  ];
  const oldRange = formatRange(start, oldLines.length - suffix + trailing - start);
  const newRange = formatRange(start, newLines.length - suffix + trailing - start);
  const header = [oldText === null ? '--- /dev/null' : `--- ${path}`, `+++ ${path}`, `@@ -${oldRange} +${newRange} @@`];
  return `${[...header, ...hunk].join('\n')}\n`;
}

/** A file without a line feed at its end has a last line that says so, as in the output of `diff`. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

function countEqualLines(
  left: string[],
  right: string[],
  limit: number,
  getLine: (lines: string[], index: number) => string | undefined,
): number {
  let count = 0;
  while (count < limit && getLine(left, count) === getLine(right, count)) count++;
  return count;
}

/** An empty range names the line before it. */
const formatRange = (start: number, length: number): string => `${length === 0 ? start : start + 1},${length}`;

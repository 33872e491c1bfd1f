/** Returns the name that was probably meant, or undefined. */
export function suggestName(wrong: string, names: readonly string[]): string | undefined {
  const typed = wrong.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: computeDistance(typed, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best && best.distance <= Math.max(1, Math.floor(typed.length / 3))) return best.name;
  return typed.length >= 3 ? names.find((name) => name.toLowerCase().startsWith(typed)) : undefined;
}

/** Returns ` Did you mean "list"?`, or nothing. */
export function formatSuggestion(wrong: string, names: readonly string[]): string {
  const name = suggestName(wrong, names);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

/** Counts insertions, deletions, replacements, and exchanges of neighbours (optimal string alignment). */
function computeDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

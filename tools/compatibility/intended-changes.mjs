/** Matches breaking changes with those that docs/releases/intended-changes.json explains. */
import { formatChange } from './compare-documents.mjs';

/**
 * An entry is `{change, reason}`, where `change` is a printed line. It may end with `*` and matches all lines then that
 * begin with the rest.
 * @returns breaking changes without an entry, and errors of the entries
 */
export function matchIntendedChanges(changes, entries) {
  const lines = changes.filter(({ level }) => level === 'breaking').map(formatChange);
  const errors = entries.flatMap((entry) => {
    if (typeof entry.reason !== 'string' || entry.reason.trim() === '') return [`Without a reason: ${entry.change}`];
    return lines.some((line) => isMatch(entry, line)) ? [] : [`Matches no breaking change: ${entry.change}`];
  });
  return { unexplained: lines.filter((line) => !entries.some((entry) => isMatch(entry, line))), errors };
}

function isMatch({ change }, line) {
  return change.endsWith('*') ? line.startsWith(change.slice(0, -1)) : line === change;
}

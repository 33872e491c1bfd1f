interface DiffLine {
  kind: 'added' | 'removed' | 'hunk' | 'context';
  /** Text without the mark at its beginning, except headers. */
  text: string;
}

/** Reads the lines of a unified diff. Other text is shown as context. */
export function readDiffLines(diff: string): DiffLine[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let isInHunk = false;
  return lines.map((line) => {
    if (line.startsWith('@@')) isInHunk = true;
    else if (/^diff --git /.test(line)) isInHunk = false;
    if (!isInHunk || line.startsWith('@@')) return { kind: 'hunk', text: line };
    if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
    if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
    return { kind: 'context', text: line.startsWith(' ') ? line.slice(1) : line };
  });
}

const MARKS: Record<DiffLine['kind'], string> = { added: '+', removed: '−', hunk: ' ', context: ' ' };
const SPOKEN: Partial<Record<DiffLine['kind'], string>> = { added: 'added: ', removed: 'removed: ' };

/** Unified diff. Lines that were added or removed have a mark beside their colour. */
export function DiffView({ diff }: { diff: string }) {
  const lines = readDiffLines(diff);
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return (
    <figure class="diff">
      <figcaption>
        Changes: {count('added')} added, {count('removed')} removed
      </figcaption>
      <div class="diff-lines" tabIndex={0} role="region" aria-label="Changes">
        {lines.map(({ kind, text }, index) => (
          <div key={index} class={`diff-line ${kind}`}>
            <span class="mark" aria-hidden="true">
              {MARKS[kind]}
            </span>
            {SPOKEN[kind] && <span class="spoken">{SPOKEN[kind]}</span>}
            <code>{text || ' '}</code>
          </div>
        ))}
      </div>
    </figure>
  );
}

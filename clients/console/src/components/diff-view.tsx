import { useMemo, useState } from 'preact/hooks';
import { HighlightedCode } from '../rich-text/code-block';
import { useFold } from '../rich-text/use-fold';

/** A longer file is folded, and so are all files of a diff with more of them. */
const MAX_OPEN_LINES = 300;
const MAX_OPEN_FILES = 20;
/** Lines of a file that are shown at once. */
const STEP = 500;
/** Longer lines have no colors of their own. */
const MAX_COLORED_LENGTH = 500;

const MARKS: Record<string, string> = { added: '+', removed: '−' };
const SPOKEN: Record<string, string> = { added: 'added: ', removed: 'removed: ' };

/** Unified diff, file by file. Lines that were added or removed have a mark beside their color. */
export function DiffView({ diff }: { diff: string }) {
  const files = useMemo(() => readDiffFiles(diff), [diff]);
  const sum = (kind: 'added' | 'removed') => files.reduce((total, file) => total + file[kind], 0);
  return (
    <figure class="diff">
      {files.length > 1 && (
        <figcaption>
          {files.length.toLocaleString('en')} files: <Counts added={sum('added')} removed={sum('removed')} />
        </figcaption>
      )}
      {files.map((file) => (
        <FileChanges file={file} isShort={files.length <= MAX_OPEN_FILES && file.lines.length <= MAX_OPEN_LINES} />
      ))}
    </figure>
  );
}

function Counts({ added, removed }: Pick<DiffFile, 'added' | 'removed'>) {
  return (
    <span class="diff-counts">
      <span class="good">
        +{added.toLocaleString('en')}
        <span class="spoken"> added</span>
      </span>{' '}
      <span class="bad">
        −{removed.toLocaleString('en')}
        <span class="spoken"> removed</span>
      </span>
    </span>
  );
}

/** The lines of a folded file are no elements. */
function FileChanges({ file, isShort }: { file: DiffFile; isShort: boolean }) {
  const [isOpen, setOpen] = useState(isShort);
  return (
    <details class="diff-file" open={isShort} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code dir="ltr">{file.path || 'Changes'}</code> <Counts {...file} />
      </summary>
      {isOpen && <Lines file={file} />}
    </details>
  );
}

function Lines({ file: { path, lines } }: { file: DiffFile }) {
  const fold = useFold(lines.length, STEP, STEP);
  const language = path.split('.').at(-1)!.toLowerCase();
  return (
    <>
      <div class="diff-lines" tabIndex={0} role="group" aria-label={`Changes of ${path || 'a file'}`} dir="ltr">
        {lines.slice(0, fold.count).map(({ kind, text }) => (
          <div class={`diff-line ${kind}`}>
            <span class="mark" aria-hidden="true">
              {MARKS[kind] ?? ' '}
            </span>
            {SPOKEN[kind] && <span class="spoken">{SPOKEN[kind]}</span>}
            <code>
              <HighlightedCode
                code={text || ' '}
                language={kind === 'hunk' || text.length > MAX_COLORED_LENGTH ? '' : language}
              />
            </code>
          </div>
        ))}
      </div>
      {fold.button}
    </>
  );
}

interface DiffLine {
  kind: 'added' | 'removed' | 'hunk' | 'context';
  /** Text without the mark at its beginning, except headers. */
  text: string;
}

/** Part of a diff about one file. */
export interface DiffFile {
  /** Path that the diff names; empty if it names none. */
  path: string;
  lines: DiffLine[];
  added: number;
  removed: number;
}

/**
 * Reads the files of a unified diff. Other text is shown as context. No line is left out: headers are lines as well.
 */
export function readDiffFiles(diff: string): DiffFile[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const files: DiffFile[] = [];
  let isInHunk = false;
  for (const [index, line] of lines.entries()) {
    if (files.length === 0 || beginsFile(lines, index, isInHunk)) {
      files.push({ path: '', lines: [], added: 0, removed: 0 });
      isInHunk = false;
    }
    const file = files.at(-1)!;
    if (line.startsWith('@@')) isInHunk = true;
    if (!isInHunk) file.path = readPath(line) || file.path;
    const kind = !isInHunk || line.startsWith('@@') ? 'hunk' : (KINDS[line[0]!] ?? 'context');
    const hasMark = kind !== 'hunk' && (kind !== 'context' || line.startsWith(' '));
    file.lines.push({ kind, text: hasMark ? line.slice(1) : line });
    if (kind === 'added') file.added++;
    if (kind === 'removed') file.removed++;
  }
  return files;
}

const KINDS: Record<string, 'added' | 'removed'> = { '+': 'added', '-': 'removed' };

/** In a hunk, a removed and an added line look like the names of another file, but no hunk follows them. */
function beginsFile(lines: readonly string[], index: number, isInHunk: boolean): boolean {
  const [line = '', next = '', afterNext = ''] = lines.slice(index, index + 3);
  if (line.startsWith('diff --git ')) return true;
  return isInHunk && line.startsWith('--- ') && next.startsWith('+++ ') && afterNext.startsWith('@@ ');
}

/** Returns the name of a file that isn't `/dev/null`: the new one stands behind the old one. */
function readPath(line: string): string {
  const name = /^(?:--- (?:a\/)?|\+\+\+ (?:b\/)?|rename to |diff --git a\/.* b\/)([^\t]+)/.exec(line)?.[1] ?? '';
  return name === '/dev/null' ? '' : name;
}

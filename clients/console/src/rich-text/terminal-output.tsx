import { useMemo, useState } from 'preact/hooks';
import { showInvisibleCharacters } from '../lib/visible-text';
import { readTerminalText, type TerminalRun } from './terminal-screen';
import { useFold } from './use-fold';

/** Lines at the end of an output that are shown until the reader asks for all. */
const SHORT_LINES = 25;

/** Output of a program in its colors. Of a long one, the end is shown first. */
export function TerminalOutput({ text, label }: { text: string; label: string }) {
  const [isRaw, setRaw] = useState(false);
  const screen = useMemo(() => readTerminalText(text), [text]);
  const plain = useMemo(() => (isRaw ? showInvisibleCharacters(text).split('\n') : []), [text, isRaw]);
  const lineCount = isRaw ? plain.length : screen.lines.length;
  const fold = useFold(lineCount, SHORT_LINES);
  return (
    <div class="terminal">
      {fold.button}
      <pre class="text" tabIndex={0} aria-label={label} dir="ltr">
        {isRaw
          ? plain.slice(-fold.count).join('\n')
          : screen.lines.slice(-fold.count).map((runs, index) => (
              <>
                {index > 0 && '\n'}
                {runs.map(renderRun)}
              </>
            ))}
      </pre>
      {screen.hidesText && (
        <button type="button" class="plain" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          Show all that was written
        </button>
      )}
    </div>
  );
}

function renderRun({ text, style: { color, ground, marks } }: TerminalRun) {
  const shown = showInvisibleCharacters(text);
  if (!color && !ground && marks.length === 0) return shown;
  // The policy of the page forbids style attributes, and lets scripts set single properties, as Preact does.
  const [ink, paper] = marks.includes('inverse') ? [ground, color || 'var(--ink)'] : [color, ground];
  const classes = [...marks, paper ? 'paper' : ink && 'ink'].filter(Boolean).join(' ');
  return (
    <span class={classes} style={{ '--terminal-color': paper || ink || null }}>
      {shown}
    </span>
  );
}

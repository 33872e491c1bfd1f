import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';

interface Fold {
  /** Lines to show. */
  count: number;
  /** Shows more of them; null if all are shown. */
  button: ComponentChild;
}

/** Folds long text. @param step lines that are shown at first, and by each press of the button; all by default */
export function useFold(lineCount: number, shortCount: number, step = Infinity): Fold {
  const [limit, setLimit] = useState(shortCount);
  // A button that shows a few lines takes as much space as they do.
  const count = lineCount - limit <= 5 ? lineCount : limit;
  const isWhole = lineCount - count <= step;
  return {
    count,
    button: count < lineCount && (
      <button type="button" class="plain more-lines" onClick={() => setLimit(limit + step)}>
        {isWhole ? `Show all ${lineCount.toLocaleString('en')} lines` : `Show ${step.toLocaleString('en')} more of `}
        {!isWhole && `${lineCount.toLocaleString('en')} lines`}
      </button>
    ),
  };
}

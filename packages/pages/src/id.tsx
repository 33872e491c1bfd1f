/** Characters at the end of a shortened ID that always stay visible. */
const END_LENGTH = 4;

interface IdProps {
  value: string;
  /** What the ID identifies, as in "Copy request ID". */
  subject?: string;
}

/**
 * ID that the stylesheet shortens in the middle, with a copy button. Its HTML keeps the whole ID, so that screen
 * readers, searches and selections get it too.
 */
export function Id({ value, subject }: IdProps) {
  const label = subject === undefined ? 'Copy ID' : `Copy ${subject} ID`;
  return (
    <span class="id" title={value}>
      <code>
        <span class="id-start">{value.slice(0, -END_LENGTH)}</span>
        {value.slice(-END_LENGTH)}
      </code>
      <CopyIconButton text={value} label={label} />
    </span>
  );
}

/** Small copy button beside a value. It needs the browser's scripts. */
export function CopyIconButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" class="copy-icon" data-copy={text} title={label} hidden>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" fill="none" stroke="currentColor" stroke-width="1.4" />
      </svg>
      <span class="unseen">{label}</span>
    </button>
  );
}

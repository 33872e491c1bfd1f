interface CopyableProps {
  text: string;
  /** What it is, for those who do not see it. */
  label: string;
  /** Several lines, such as a command. */
  block?: boolean;
  /** How it is shown, where that is not as it is copied. */
  shown?: string;
}

/** Text to take along, with a button that copies it where the browser's scripts run. */
export function Copyable({ text, label, block = false, shown = text }: CopyableProps) {
  return (
    <div class={block ? 'copyable block' : 'copyable'} role="group" aria-label={label}>
      <code tabIndex={block ? 0 : undefined}>{shown}</code>
      <button type="button" class="secondary" data-copy={text} hidden>
        Copy
      </button>
    </div>
  );
}

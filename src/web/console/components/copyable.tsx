interface CopyableProps {
  text: string;
  /** Accessible name. */
  label: string;
  /** Lays out several lines, such as a command. */
  isBlock?: boolean;
  /** Displayed text, if it differs from the copied text. */
  displayText?: string;
}

/** Text with a copy button. The button needs the browser's scripts. */
export function Copyable({ text, label, isBlock = false, displayText = text }: CopyableProps) {
  return (
    <div class={isBlock ? 'copyable block' : 'copyable'} role="group" aria-label={label}>
      <code tabIndex={isBlock ? 0 : undefined}>{displayText}</code>
      <button type="button" class="secondary" data-copy={text} hidden>
        Copy
      </button>
    </div>
  );
}

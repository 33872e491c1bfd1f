/** Progressive enhancement of a page, or of a part that was loaded later. */
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Replaces UTC times with local times. Their titles keep the exact values. */
export function showLocalTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll('time')) {
    time.textContent = LOCAL.format(new Date(time.dateTime));
  }
}

/** Shows the copy buttons. They are hidden in the HTML, because they need a script. */
export function offerCopying(within: ParentNode): void {
  // The Clipboard API exists only on https and localhost.
  if (!navigator.clipboard) return;
  for (const button of within.querySelectorAll('button[data-copy]')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener('click', () => void copyText(button));
  }
}

async function copyText(button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '');
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Copy failed';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
}

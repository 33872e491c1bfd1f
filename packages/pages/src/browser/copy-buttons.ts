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
  const label = button.querySelector('span') ?? button;
  button.dataset.label ??= label.textContent ?? '';
  try {
    await navigator.clipboard.writeText(getCopiedText(button));
    label.textContent = 'Copied';
    button.classList.add('copied');
  } catch {
    label.textContent = 'Copy failed';
  }
  setTimeout(() => {
    label.textContent = button.dataset.label ?? '';
    button.classList.remove('copied');
  }, 2_000);
}

/** Returns the button's own text, or the displayed code if it has none. */
function getCopiedText({ dataset, parentElement }: HTMLElement): string {
  return dataset.copy || (parentElement?.closest('figure')?.querySelector('pre')?.textContent ?? '');
}

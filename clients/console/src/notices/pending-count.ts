const PREFIX = /^\(\d+\) /;

let count = 0;
let observer: MutationObserver | undefined;

/** Shows the number of pending requests in the navigation and in front of the page's title, which may change later. */
export function showPendingCount(pending: number): void {
  count = pending;
  for (const element of document.querySelectorAll<HTMLElement>('[data-count]')) {
    element.hidden = count === 0;
    element.textContent = count === 0 ? '' : String(count);
    element.title = count === 1 ? '1 request waits for you' : `${count} requests wait for you`;
  }
  showInTitle();
  observer ??= observeTitle();
}

function showInTitle(): void {
  const title = document.title.replace(PREFIX, '');
  const shown = count > 0 ? `(${count}) ${title}` : title;
  // The observer would see the change of an equal text, too.
  if (document.title !== shown) document.title = shown;
}

function observeTitle(): MutationObserver {
  const created = new MutationObserver(showInTitle);
  created.observe(document.querySelector('title')!, { childList: true, characterData: true, subtree: true });
  return created;
}

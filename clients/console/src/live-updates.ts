/** Polls the server and updates a page's live region while the page is visible. */
import { isServiceSuccess, UnreachableError } from './lib/api-client';
import { patchChildren } from './lib/dom-patch';
import { offerCopying, showRelativeTimes } from './lib/enhancements';

const EVERY_MS = 3_000;
/** Maximum interval while the service does not respond. */
const AT_MOST_MS = 60_000;
const LOST = 'Connection lost. Trying again …';

const followed = document.getElementById('followed');
const bar = document.getElementById('following');
let wait = EVERY_MS;
let isOn = followed?.dataset.live === 'true';
let isAsking = false;
let timer: ReturnType<typeof setTimeout> | undefined;

if (followed && bar && isOn) begin(followed, bar);

function begin(followed: HTMLElement, bar: HTMLElement): void {
  const status = bar.querySelector('[role="status"]') as HTMLElement;
  const button = bar.querySelector('button') as HTMLButtonElement;
  const idle = status.textContent;
  const next = () => {
    clearTimeout(timer);
    if (isOn) timer = setTimeout(() => void look(), wait);
  };

  const look = async () => {
    if (!isOn || isAsking || document.hidden) return;
    isAsking = true;
    try {
      await ask();
      wait = EVERY_MS;
      showConnection(true);
    } catch {
      wait = Math.min(wait * 2, AT_MOST_MS);
      showConnection(false);
    }
    isAsking = false;
    next();
  };

  const showConnection = (isAlive: boolean) => {
    if (!isOn) return;
    bar.classList.toggle('still', !isAlive);
    if (!isAlive) status.textContent = LOST;
    else if (status.textContent === LOST) status.textContent = idle;
  };

  const ask = async () => {
    const headers = { Accept: 'text/html' };
    const answer = await fetch(location.href, { headers, cache: 'no-store' });
    // A portal or a gateway says nothing about the page.
    if (!answer.headers.has('X-Request-Id')) throw new UnreachableError();
    // The user is signed out and was sent to another page, or the resource no longer exists.
    if (answer.redirected || answer.status === 404) return end('Live updates have stopped. Reload the page.');
    if (!isServiceSuccess(answer, 'text/html')) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById('followed');
    if (fresh && isOn && !isInTheWay(followed)) show(fresh);
  };

  const show = (fresh: HTMLElement) => {
    showRelativeTimes(fresh);
    offerCopying(fresh);
    const before = collectKeys(followed);
    const isLast = fresh.dataset.live !== 'true';
    const changed = patchChildren(followed, fresh);
    const added = [...collectKeys(followed)].filter((key) => !before.has(key)).length;
    if (isLast) end('Up to date');
    else if (added > 0) status.textContent = `New ${followed.dataset.what}: ${added}`;
    else if (changed) status.textContent = 'Updated';
  };

  const end = (why: string) => {
    isOn = false;
    status.textContent = why;
    button.hidden = true;
    bar.classList.add('still');
  };

  button.addEventListener('click', () => {
    isOn = !isOn;
    status.textContent = isOn ? idle : 'Paused';
    button.textContent = isOn ? 'Pause live updates' : 'Resume live updates';
    bar.classList.toggle('still', !isOn);
    void look();
  });
  document.addEventListener('visibilitychange', () => void look());
  addEventListener('online', () => void look());
  bar.hidden = false;
  next();
}

/** Returns whether the user has an open confirmation or a selection in the live region. */
function isInTheWay(followed: HTMLElement): boolean {
  const selection = getSelection();
  const isSelected = selection && !selection.isCollapsed && selection.containsNode(followed, true);
  return isSelected || followed.querySelector('details.ask[open]') !== null;
}

/** Returns the keys of the listed rows, without the page's other parts. */
function collectKeys(followed: HTMLElement): Set<string | undefined> {
  const rows = [...followed.querySelectorAll('[data-parts] [data-parts] > [data-key]')];
  return new Set(rows.map((row) => (row instanceof HTMLElement ? row.dataset.key : '')));
}

/** Keeps what a page lists as it is on the server, while somebody looks at it. */
import { offerCopying, showLocalTimes } from './console.js';
import { patch } from './patch.js';

const EVERY_MS = 3_000;
/** Between tries while the service does not answer. */
const AT_MOST_MS = 60_000;

const followed = document.getElementById('followed');
const bar = document.getElementById('following');
let wait = EVERY_MS;
let isOn = followed?.dataset.live === 'true';
let isAsking = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

if (followed && bar && isOn) begin(followed, bar);

/**
 * @param {HTMLElement} followed
 * @param {HTMLElement} bar
 */
function begin(followed, bar) {
  const status = /** @type {HTMLElement} */ (bar.querySelector('[role="status"]'));
  const button = /** @type {HTMLButtonElement} */ (bar.querySelector('button'));
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
    } catch {
      wait = Math.min(wait * 2, AT_MOST_MS);
    }
    isAsking = false;
    next();
  };

  const ask = async () => {
    const headers = { Accept: 'text/html' };
    const answer = await fetch(location.href, { headers, redirect: 'manual', cache: 'no-store' });
    // Signed out, or it is gone.
    if (answer.type === 'opaqueredirect' || answer.status === 404) {
      return end('Not followed any more. Reload the page.');
    }
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById('followed');
    if (fresh && isOn && !isInTheWay(followed)) show(fresh);
  };

  /** @param {HTMLElement} fresh */
  const show = (fresh) => {
    showLocalTimes(fresh);
    offerCopying(fresh);
    const before = keysIn(followed);
    const isLast = fresh.dataset.live !== 'true';
    const changed = patch(followed, fresh);
    const added = [...keysIn(followed)].filter((key) => !before.has(key)).length;
    if (isLast) end('Up to date');
    else if (added > 0) status.textContent = `New ${followed.dataset.what}: ${added}`;
    else if (changed) status.textContent = 'Updated';
  };

  /** @param {string} why */
  const end = (why) => {
    isOn = false;
    status.textContent = why;
    button.hidden = true;
    bar.classList.add('still');
  };

  button.addEventListener('click', () => {
    isOn = !isOn;
    status.textContent = isOn ? idle : 'Not followed';
    button.textContent = isOn ? 'Stop following' : 'Follow';
    bar.classList.toggle('still', !isOn);
    void look();
  });
  document.addEventListener('visibilitychange', () => void look());
  bar.hidden = false;
  next();
}

/**
 * Somebody answers a question in it, or selects what it says.
 * @param {HTMLElement} followed
 */
function isInTheWay(followed) {
  const selection = getSelection();
  const isSelected = selection && !selection.isCollapsed && selection.containsNode(followed, true);
  return isSelected || followed.querySelector('details.ask[open]') !== null;
}

/**
 * What is listed, without the page's other parts.
 * @param {HTMLElement} followed
 */
function keysIn(followed) {
  const rows = [...followed.querySelectorAll('[data-parts] [data-parts] > [data-key]')];
  return new Set(rows.map((row) => (row instanceof HTMLElement ? row.dataset.key : '')));
}

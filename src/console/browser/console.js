/** What every page of the console does for its person; without it the pages work, only less handily. */
import './submit-once.js';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

showLocalTimes(document);
offerCopying(document);
leaveSecretBehind();

/**
 * Times are there in UTC, and exactly in their titles.
 * @param {ParentNode} within
 */
export function showLocalTimes(within) {
  for (const time of within.querySelectorAll('time')) {
    time.textContent = LOCAL.format(new Date(time.dateTime));
  }
}

/** @param {ParentNode} within */
export function offerCopying(within) {
  // Only https and localhost have it.
  if (!navigator.clipboard) return;
  for (const button of within.querySelectorAll('button[data-copy]')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '');
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not copied';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
}

/** A reload shows the page without the secret, and does not ask whether to send the form again. */
function leaveSecretBehind() {
  const shown = document.querySelector('[data-leads-to]');
  if (shown instanceof HTMLElement) history.replaceState(null, '', shown.dataset.leadsTo);
}

// One question at a time; Escape and a click beside it take it back.
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const open = openQuestion();
  if (!open) return;
  open.open = false;
  open.querySelector('summary')?.focus();
});
addEventListener('click', (event) => {
  const open = openQuestion();
  if (open && event.target instanceof Node && !open.contains(event.target)) open.open = false;
});

/** @returns {HTMLDetailsElement | null} */
function openQuestion() {
  return document.querySelector('details.ask[open]');
}

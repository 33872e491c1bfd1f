/** What the sign-in pages have in common. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}

/** @param {string} id */
export const form = (id) => /** @type {HTMLFormElement} */ (byId(id));

/**
 * The text of a field, without blanks around it.
 * @param {HTMLFormElement} of
 * @param {string} name
 */
export function field(of, name) {
  const input = /** @type {HTMLInputElement | null} */ (of.elements.namedItem(name));
  return input?.value.trim() ?? '';
}

/** @param {string} id @param {string} text */
export function write(id, text) {
  byId(id).textContent = text;
}

/**
 * Shows one of the page's steps and hides the others.
 * @param {string | null} step
 * @param {readonly string[]} steps
 */
export function showStep(step, steps) {
  for (const id of steps) byId(id).hidden = id !== step;
  if (step) byId(step).querySelector('h2')?.focus();
}

/** Goes where the page was asked to lead; the server has seen to it that this is a page of the console. */
export function leave() {
  const to = byId('card').dataset.return ?? '/console';
  // A pairing code that a QR code brought along stays in the part that is not sent.
  location.assign(/^#code=[\w-]{1,32}$/.test(location.hash) ? to + location.hash : to);
}

/** @param {unknown} problem null takes it away */
export function showProblem(problem) {
  const box = byId('problem');
  box.hidden = problem === null;
  box.textContent = problem instanceof Error ? problem.message : String(problem ?? '');
  if (problem) box.scrollIntoView({ block: 'nearest' });
}

/** Asks that the keys here are not evicted; a browser that asks its person may take for ever, so nothing waits for it. */
export function persist() {
  void navigator.storage.persist().catch(() => {});
}

/**
 * Does something that takes a moment: says so, keeps the buttons from being pressed twice, and shows what went wrong.
 * @param {string} doing
 * @param {() => Promise<void>} act
 */
export async function busy(doing, act) {
  const buttons = [...document.querySelectorAll('button')].filter((button) => !button.disabled);
  showProblem(null);
  write('progress', doing);
  for (const button of buttons) button.disabled = true;
  try {
    await act();
  } catch (error) {
    showProblem(error);
  } finally {
    write('progress', '');
    for (const button of buttons) button.disabled = false;
  }
}

/**
 * @param {string} id of the form
 * @param {string} doing
 * @param {(form: HTMLFormElement) => Promise<void>} act
 */
export function onSubmit(id, doing, act) {
  form(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void busy(doing, () => act(form(id)));
  });
}

/**
 * @param {string} id of the button
 * @param {string} doing
 * @param {() => Promise<void>} act
 */
export function onPress(id, doing, act) {
  byId(id).addEventListener('click', () => void busy(doing, act));
}

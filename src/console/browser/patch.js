/** Brings a part of a page up to date without disturbing whoever is in it. */

const FOCUSABLE = 'a[href], button, summary, input, select, textarea, [tabindex]';

/**
 * Makes `shown` like `fresh`, child by child: those with the same `data-key` are the same thing. What did not change is
 * not touched, so that focus, selection and whatever was opened in it stay; what is open or has the focus is not taken
 * away.
 * @param {Element} shown
 * @param {Element} fresh
 * @returns {boolean} whether anything was changed
 */
export function patch(shown, fresh) {
  const before = new Map([...shown.children].map((part) => [keyOf(part), part]));
  const after = new Set([...fresh.children].map(keyOf));
  let changed = false;
  for (const [key, part] of before) {
    if (after.has(key) || isInUse(part)) continue;
    part.remove();
    changed = true;
  }
  let at = shown.firstElementChild;
  for (const part of [...fresh.children]) {
    const same = before.get(keyOf(part));
    // What is in use and listed no more stays where it is.
    while (at && !after.has(keyOf(at))) at = at.nextElementSibling;
    if (same && same === at) at = same.nextElementSibling;
    else shown.insertBefore(same ?? part, at);
    if (same ? update(same, part) : true) changed = true;
  }
  return changed;
}

/**
 * @param {Element} shown
 * @param {Element} fresh
 */
function update(shown, fresh) {
  if (lookOf(shown) === lookOf(fresh)) return false;
  const [inner, freshInner] = [shown, fresh].map((part) => part.querySelector('[data-parts]'));
  if (inner && freshInner) return patch(inner, freshInner);
  if (shown.querySelector('details[open]')) return false;
  const focused = [...shown.querySelectorAll(FOCUSABLE)].findIndex((each) => each === document.activeElement);
  shown.replaceWith(fresh);
  const next = fresh.querySelectorAll(FOCUSABLE)[focused];
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  return true;
}

/** @param {Element} part */
function keyOf(part) {
  return part instanceof HTMLElement ? part.dataset.key : undefined;
}

/** @param {Element} part */
function isInUse(part) {
  return part.contains(document.activeElement) || part.querySelector('details[open]') !== null;
}

/**
 * A form's hidden fields are another page's each time.
 * @param {Element} part
 */
function lookOf(part) {
  const copy = /** @type {Element} */ (part.cloneNode(true));
  for (const field of copy.querySelectorAll('input[type="hidden"]')) field.removeAttribute('value');
  return copy.outerHTML;
}

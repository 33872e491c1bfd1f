/** Updates a part of a page without disturbing the user's focus, selection or open details. */

const FOCUSABLE = 'a[href], button, summary, input, select, textarea, [tabindex]';

/**
 * Makes `shown` equal to `fresh`, matching children by `data-key`. Unchanged children are not touched, so they keep
 * focus, selection and open details. Children that are open or focused are not removed.
 * @returns whether anything was changed
 */
export function patchChildren(shown: Element, fresh: Element): boolean {
  const before = new Map([...shown.children].map((part) => [getKey(part), part]));
  const after = new Set([...fresh.children].map(getKey));
  let changed = false;
  for (const [key, part] of before) {
    if (after.has(key) || isInUse(part)) continue;
    part.remove();
    changed = true;
  }
  let at = shown.firstElementChild;
  for (const part of [...fresh.children]) {
    const same = before.get(getKey(part));
    // An element in use that is no longer listed keeps its place.
    while (at && !after.has(getKey(at))) at = at.nextElementSibling;
    if (same && same === at) at = same.nextElementSibling;
    else shown.insertBefore(same ?? part, at);
    if (same ? updateElement(same, part) : true) changed = true;
  }
  return changed;
}

/** Returns whether anything was changed. */
function updateElement(shown: Element, fresh: Element): boolean {
  if (serializeVisibleHtml(shown) === serializeVisibleHtml(fresh)) return false;
  const [inner, freshInner] = [shown, fresh].map((part) => part.querySelector('[data-parts]'));
  if (inner && freshInner) return patchChildren(inner, freshInner);
  if (shown.querySelector('details[open]')) return false;
  const focused = [...shown.querySelectorAll(FOCUSABLE)].findIndex((each) => each === document.activeElement);
  shown.replaceWith(fresh);
  const next = fresh.querySelectorAll(FOCUSABLE)[focused];
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  return true;
}

function getKey(part: Element): string | undefined {
  return part instanceof HTMLElement ? part.dataset.key : undefined;
}

function isInUse(part: Element): boolean {
  return part.contains(document.activeElement) || part.querySelector('details[open]') !== null;
}

/**
 * Returns the HTML without the values of hidden fields and the texts of times: CSRF tokens differ on every page, and
 * relative times change by themselves.
 */
function serializeVisibleHtml(part: Element): string {
  const copy = part.cloneNode(true) as Element;
  for (const field of copy.querySelectorAll('input[type="hidden"]')) field.removeAttribute('value');
  for (const time of copy.querySelectorAll('time')) time.textContent = '';
  return copy.outerHTML;
}

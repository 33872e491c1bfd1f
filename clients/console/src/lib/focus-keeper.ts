const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';

/**
 * Keeps the keyboard focus at its place. A browser gives it to the body when the element that has it is removed, hidden
 * or disabled. It then goes to what the page has added in that place, such as the question of a button that was
 * pressed, or to the part of the page that has lost the element. It returns to a button that was disabled during a
 * call, unless the user has clicked elsewhere meanwhile.
 */
export function keepFocus(): void {
  let last: HTMLElement | null = null;
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? target : null;
  });
  // A user who clicks on something that takes no focus has left the element. Handlers of the click may change the page.
  document.addEventListener(
    'click',
    ({ target }) => {
      if (target instanceof Element && !target.closest(FOCUSABLE)) last = null;
    },
    { capture: true },
  );
  // The focus may also leave an element that stays without a click, such as when the keyboard of a phone is closed.
  // That is told from a removal by the page as it is afterwards. It would be too late for a click: browsers run timers
  // after one only when they have drawn the page again.
  document.addEventListener('focusout', ({ target }) =>
    setTimeout(() => {
      if (target === last && last?.isConnected && hasNoFocus() && !last.matches(':disabled')) last = null;
    }),
  );
  new MutationObserver((records) => {
    if (!last || !hasNoFocus()) return;
    const hidden = last.closest('[hidden]');
    if (!last.isConnected) moveFocus(last, records);
    else if (hidden?.parentElement) focusPart(hidden.parentElement);
    else last.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden'] });
}

/** A browser takes the focus from an element that is hidden only when it draws the page again. */
const hasNoFocus = (): boolean =>
  document.activeElement === null ||
  document.activeElement === document.body ||
  document.activeElement.closest('[hidden]') !== null;

function moveFocus(lost: HTMLElement, records: readonly MutationRecord[]): void {
  const removal = records.find(
    ({ target, removedNodes }) => target.isConnected && [...removedNodes].some((node) => node.contains(lost)),
  );
  if (!removal) return;
  const part = removal.target as HTMLElement;
  const added = records.flatMap(({ target, addedNodes }) => (target === part ? [...addedNodes] : []));
  if (!added.some((node) => node instanceof Element && focusFirst(node))) focusPart(part);
}

/** Returns whether something in it takes the focus, which nothing does that is hidden or disabled. */
function focusFirst(added: Element): boolean {
  const found = [added, ...added.querySelectorAll(FOCUSABLE)].filter((each) => each.matches(FOCUSABLE));
  return found.some((each) => {
    (each as HTMLElement).focus();
    return document.activeElement === each;
  });
}

/** Focuses the part, and none of its buttons: a key that is still pressed would press that, too. */
function focusPart(part: HTMLElement): void {
  if (!part.matches(FOCUSABLE)) {
    part.tabIndex = -1;
    part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
  }
  part.focus({ preventScroll: true });
}

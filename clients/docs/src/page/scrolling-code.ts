/** Lets the keyboard scroll code and tables that are wider than the page. */
export function makeOverflowingCodeFocusable(within: ParentNode): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) updateFocusability(target as HTMLElement);
  });
  for (const element of within.querySelectorAll('figure.code pre, .wide')) observer.observe(element);
}

function updateFocusability(element: HTMLElement): void {
  const overflows = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
  element.classList.toggle('overflows', overflows);
  if (overflows) {
    element.tabIndex = 0;
    element.setAttribute('role', 'region');
    element.setAttribute('aria-label', describeElement(element));
  } else if (element.hasAttribute('aria-label')) {
    for (const name of ['tabindex', 'role', 'aria-label']) element.removeAttribute(name);
  }
}

/** Regions need different names, so the heading in front of the element is part of the name. */
function describeElement(element: HTMLElement): string {
  const caption = element.parentElement?.querySelector('figcaption span')?.textContent;
  const kind = caption ? `Code: ${caption}` : 'Table';
  const all = [...document.querySelectorAll('figure.code pre, .wide')];
  return `${kind} ${all.indexOf(element) + 1}`;
}

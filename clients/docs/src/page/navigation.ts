/** Scrolls the navigation to the entry of the current page. */
export function showCurrentEntry(): void {
  const sidebar = document.querySelector<HTMLElement>('.sidebar');
  const current = sidebar?.querySelector<HTMLElement>('a[aria-current]');
  if (!sidebar || !current) return;
  const offset = current.getBoundingClientRect().top - sidebar.getBoundingClientRect().top;
  if (offset > sidebar.clientHeight - 80) sidebar.scrollTop += offset - sidebar.clientHeight / 2;
}

/** Marks the heading that the reader has reached in "On this page". */
export function markCurrentHeading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')];
  const headings = links.flatMap((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? []);
  if (headings.length === 0) return;
  let isScheduled = false;
  const update = () => {
    isScheduled = false;
    const reached = headings.filter((heading) => heading.getBoundingClientRect().top < 120).at(-1);
    for (const link of links) {
      const isCurrent = link.hash === `#${reached?.id}`;
      link.classList.toggle('current', isCurrent);
      if (isCurrent) keepVisible(link);
    }
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(update);
  };
  addEventListener('scroll', schedule, { passive: true });
  update();
}

function keepVisible(link: HTMLElement): void {
  const list = link.closest<HTMLElement>('.contents');
  if (!list || list.scrollHeight <= list.clientHeight) return;
  const offset = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (offset < 40 || offset > list.clientHeight - 60) list.scrollTop += offset - list.clientHeight / 2;
}

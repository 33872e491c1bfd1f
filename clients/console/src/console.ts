/** Progressive enhancement of every console page. The pages also work without it. */
import { offerSearch } from '@external-api/pages/browser';
import { offerCopying, showRelativeTimes } from './lib/enhancements';
import { keepFocus } from './lib/focus-keeper';
import { readPageShell } from './lib/page-shell';
import { offerThemes } from './lib/theme';
import { keepSubscribed } from './push/push-registration';
import './submit-once';

keepTimesCurrent();
keepFocus();
offerCopying(document);
offerThemes();
leaveSecretBehind();
if (location.pathname === '/console') keepSubscribed().catch(() => undefined);
offerGoTo();
offerDismissal();
void nameSessions();

/** Updates the relative times while the page is open. */
function keepTimesCurrent(): void {
  showRelativeTimes(document);
  setTimeout(keepTimesCurrent, 1_000);
}

/** Replaces the URL so that a reload shows the page without the secret instead of resending the form. */
function leaveSecretBehind(): void {
  const shown = document.querySelector('[data-leads-to]');
  if (shown instanceof HTMLElement) history.replaceState(null, '', shown.dataset.leadsTo);
}

/** Hides a part of the page from now on: the server sees the cookie and leaves it out. */
function offerDismissal(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-dismiss]')) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const secure = location.protocol === 'https:' ? '; Secure' : '';
      document.cookie = `${button.dataset.dismiss}=dismissed; Path=/console; Max-Age=31536000; SameSite=Lax${secure}`;
      button.closest('section')?.remove();
    });
  }
}

/** Shows the titles of sessions that the server can't read. */
async function nameSessions(): Promise<void> {
  const links = document.querySelectorAll<HTMLElement>('a[data-session]');
  const shell = readPageShell();
  if (links.length === 0 || !shell) return;
  const { readSessionTitle } = (await import(shell.titlesUrl)) as typeof import('./session-titles');
  for (const link of links) {
    const title = await readSessionTitle(shell, link.dataset.session!).catch(() => null);
    if (title !== null) link.textContent = title;
  }
}

/** The module of the search is loaded when it is needed. Its URL is that of the page's release. */
function offerGoTo(): void {
  const button = document.querySelector<HTMLButtonElement>('#go-to');
  const shell = readPageShell();
  if (!button || !shell) return;
  const load = async () => ((await import(shell.goToUrl)) as typeof import('./go-to')).openSearch();
  // A module that could not be loaded is loaded again by the next attempt.
  offerSearch(button, () => void load().catch(() => undefined));
}

// Escape, Cancel and a click outside close the open confirmation or menu.
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closePopover();
});
addEventListener('click', ({ target }) => {
  const open = findOpenPopover();
  if (!open || !(target instanceof Element)) return;
  if (target.closest('[data-close]')) closePopover();
  else if (!open.contains(target)) open.open = false;
});

// A confirmation may open below the edge of the window. The event doesn't bubble, and precedes this script if the page
// shows a rejected form.
addEventListener('toggle', ({ target }) => target instanceof HTMLDetailsElement && showConfirmation(target), true);
document.querySelectorAll<HTMLDetailsElement>('details.ask[open]').forEach(showConfirmation);

function showConfirmation(ask: HTMLDetailsElement): void {
  if (!ask.open || !ask.matches('.ask')) return;
  const question = ask.querySelector('.question');
  question?.querySelector<HTMLElement>('input:not([type="hidden"]), select')?.focus({ preventScroll: true });
  question?.scrollIntoView({ block: 'nearest' });
}

function closePopover(): void {
  const open = findOpenPopover();
  if (!open) return;
  open.open = false;
  open.querySelector('summary')?.focus();
}

function findOpenPopover(): HTMLDetailsElement | null {
  return document.querySelector('details:is(.ask, .menu)[open]');
}

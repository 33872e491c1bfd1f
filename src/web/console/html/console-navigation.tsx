import { getAssetStore } from '../assets/asset-store';
import { APPROVALS_PATH, NAVIGATION_GROUPS, type NavigationPage } from '../navigation';
import type { Viewer } from './viewer';

const NAVIGATION_ID = 'navigation';

/** Navigation in groups. On narrow screens it is a popover, which works without scripts. */
export function ConsoleNavigation({ viewer, path }: { viewer: Viewer; path: string }) {
  const { accountId, csrfToken } = viewer;
  const goToUrl = getAssetStore().getUrl('browser/go-to.js');
  const titlesUrl = getAssetStore().getUrl('browser/session-titles.js');
  return (
    <nav
      id={NAVIGATION_ID}
      popover="auto"
      aria-label="Console"
      // What the scripts of every page need (clients/console/src/lib/page-shell.ts).
      data-shell={JSON.stringify({ accountId, csrfToken, goToUrl, titlesUrl })}
    >
      <button type="button" class="plain" popovertarget={NAVIGATION_ID} popovertargetaction="hide">
        Close menu
      </button>
      {NAVIGATION_GROUPS.map(({ name, pages }) => (
        <div key={name} class="nav-group">
          <p id={`pages-${name}`}>{name}</p>
          <ul aria-labelledby={`pages-${name}`}>
            {pages.map((page) => (
              <li key={page.path}>
                <a href={page.path} aria-current={isCurrentPage(page, path) ? 'page' : undefined}>
                  {page.name}
                  {page.path === APPROVALS_PATH && <PendingCount />}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Number of requests that wait for a decision, which `notices.js` keeps up to date. */
const PendingCount = () => <span class="count" data-count hidden />;

/** Returns whether the path is that of the page, or below it. */
const isCurrentPage = (page: NavigationPage, path: string): boolean =>
  path === page.path || (!page.isExact && path.startsWith(`${page.path}/`));

/** Buttons of the header that open the navigation of narrow screens and the search. */
export function NavigationButtons() {
  return (
    <>
      <button type="button" class="menu-button secondary" popovertarget={NAVIGATION_ID}>
        Menu <PendingCount />
      </button>
      <button type="button" class="search-button" id="go-to" hidden>
        <span>Search</span> <kbd aria-hidden="true">/</kbd>
      </button>
    </>
  );
}

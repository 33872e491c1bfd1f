import type { ComponentChildren } from 'preact';
import { HtmlLayout, renderDocument } from '../../../common/html';
import type { Heading } from '../markdown';
import { getDocsAssetStore } from './docs-assets';

/** Entry of the navigation, with the entries below it. */
export interface NavigationEntry {
  title: string;
  path: string;
  /** Shown before the title. */
  method?: string;
  children?: readonly NavigationEntry[];
}

export interface NavigationGroup {
  title: string;
  entries: readonly NavigationEntry[];
}

export interface DocsDocument {
  title: string;
  /** Path of the page; null for a page that the navigation doesn't contain. */
  path: string | null;
  navigation: readonly NavigationGroup[];
  /** Headings for "On this page". */
  headings?: readonly Heading[];
  previous?: NavigationEntry;
  next?: NavigationEntry;
  /** Markdown of the page. */
  markdownPath?: string;
  /** Browser modules besides the one of all pages. */
  scripts?: readonly string[];
  /** Uses the whole width for the content. */
  isWide?: boolean;
  content: ComponentChildren;
}

/** Renders a page of the documentation. */
export function renderDocsDocument(page: DocsDocument): string {
  const assets = getDocsAssetStore();
  const { headings = [], previous, next, markdownPath } = page;
  const contents = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return renderDocument(
    <HtmlLayout
      title={page.title}
      homePath="/docs"
      head={
        <>
          <link rel="icon" type="image/svg+xml" href={assets.getUrl('icon.svg')} />
          {['docs.css', 'reference.css'].map((file) => (
            <link key={file} rel="stylesheet" href={assets.getUrl(file)} />
          ))}
          <script src={assets.getUrl('theme.js')} />
          {markdownPath && <link rel="alternate" type="text/markdown" href={markdownPath} />}
          {['docs.js', ...(page.scripts ?? [])].map((script) => (
            <script key={script} type="module" src={assets.getUrl(`browser/${script}`)} />
          ))}
        </>
      }
      logo={<img src={assets.getUrl('icon.svg')} alt="" width="22" height="22" />}
      header={<HeaderTools navigation={page.navigation} path={page.path} />}
      sidebar={
        <nav class="sidebar" aria-label="Documentation">
          <NavigationGroups groups={page.navigation} path={page.path} />
        </nav>
      }
    >
      <div class={page.isWide ? 'page wide-page' : 'page'}>
        <div class="page-body">
          {contents.length > 1 && (
            <details class="contents-narrow">
              <summary>On this page</summary>
              <ContentsList headings={contents} />
            </details>
          )}
          {page.content}
          <footer class="page-foot">
            <nav class="neighbors" aria-label="Previous and next page">
              {previous && (
                <a class="neighbor" rel="prev" href={previous.path}>
                  <small>Previous</small> {previous.title}
                </a>
              )}
              {next && (
                <a class="neighbor next" rel="next" href={next.path}>
                  <small>Next</small> {next.title}
                </a>
              )}
            </nav>
            {markdownPath && (
              <p class="fine">
                <a href={markdownPath}>View as Markdown</a>
              </p>
            )}
          </footer>
        </div>
        {contents.length > 1 && (
          <nav class="contents" aria-labelledby="contents-title">
            <p id="contents-title">On this page</p>
            <ContentsList headings={contents} />
          </nav>
        )}
      </div>
    </HtmlLayout>,
  );
}

function ContentsList({ headings }: { headings: readonly Heading[] }) {
  return (
    <ul>
      {headings.map(({ anchor, text, depth }) => (
        <li key={anchor} class={depth === 3 ? 'deep' : undefined}>
          <a href={`#${anchor}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

function HeaderTools({ navigation, path }: Pick<DocsDocument, 'navigation' | 'path'>) {
  return (
    <>
      <button type="button" class="search-button" data-search="/docs/search.json" hidden>
        <span>Search</span> <kbd aria-hidden="true">/</kbd>
      </button>
      <div class="header-links">
        <a class="quiet" href="/docs/reference">
          API reference
        </a>
        <a class="quiet" href="/console">
          Console
        </a>
      </div>
      <details class="narrow-menu">
        <summary>Menu</summary>
        <nav aria-label="Documentation menu">
          <NavigationGroups groups={navigation} path={path} />
          <ul>
            <li>
              <a href="/console">Console</a>
            </li>
          </ul>
        </nav>
      </details>
    </>
  );
}

function NavigationGroups({ groups, path }: { groups: readonly NavigationGroup[]; path: string | null }) {
  return (
    <>
      {groups.map(({ title, entries }) => (
        <div class="nav-group" key={title}>
          <p>{title}</p>
          <NavigationList entries={entries} path={path} />
        </div>
      ))}
    </>
  );
}

function NavigationList({ entries, path }: { entries: readonly NavigationEntry[]; path: string | null }) {
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.path}>
          <a href={entry.path} aria-current={entry.path === path ? 'page' : undefined}>
            {entry.title}
            {entry.method && <MethodBadge method={entry.method} isSmall />}
          </a>
          {entry.children && entry.children.length > 0 && <NavigationList entries={entry.children} path={path} />}
        </li>
      ))}
    </ul>
  );
}

/** HTTP method with the color of its kind. */
export function MethodBadge({ method, isSmall = false }: { method: string; isSmall?: boolean }) {
  return (
    <span class={`method ${method.toLowerCase()}${isSmall ? ' small' : ''}`}>
      {method === 'DELETE' ? 'DEL' : method}
    </span>
  );
}

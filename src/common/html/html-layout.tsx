import type { ComponentChildren } from 'preact';

/** Entry of a page's navigation. */
export interface NavigationPage {
  name: string;
  path: string;
  /** Not marked as current on pages below its path. */
  isExact?: boolean;
}

interface HtmlLayoutProps {
  /** Title of the browser tab. */
  title: string;
  /** Target of the name in the header. */
  homePath: string;
  /** Stylesheets, icons and scripts of the page. */
  head: ComponentChildren;
  /** Logo in front of the name. */
  logo?: ComponentChildren;
  /** What the header contains beside the name. */
  header?: ComponentChildren;
  /** Without navigation or a sidebar, the page is one narrow column. */
  navigation?: NavigationMenuProps;
  /** Replaces `navigation`. */
  sidebar?: ComponentChildren;
  children: ComponentChildren;
}

interface NavigationMenuProps {
  /** Name of the menu for screen readers. */
  label: string;
  pages: readonly NavigationPage[];
  /** Path of the request. */
  path: string;
}

/** Document of every HTML page. Its styles are in `base.css`. */
export function HtmlLayout({ title, homePath, head, logo, header, navigation, sidebar, children }: HtmlLayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · External API`}</title>
        {head}
      </head>
      <body>
        <a class="skip" href="#main-content">
          Skip to content
        </a>
        <header>
          <a class="brand" href={homePath}>
            {logo}
            External API
          </a>
          {header}
        </header>
        <div class={navigation || sidebar ? 'frame' : 'frame narrow'}>
          {sidebar}
          {navigation && <NavigationMenu {...navigation} />}
          <main id="main-content">{children}</main>
        </div>
      </body>
    </html>
  );
}

/** Marks the page of the path, or the page that the path is below. */
function NavigationMenu({ label, pages, path }: NavigationMenuProps) {
  const isCurrent = (page: NavigationPage) => path === page.path || (!page.isExact && path.startsWith(`${page.path}/`));
  return (
    <nav aria-label={label}>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={page.path} aria-current={isCurrent(page) ? 'page' : undefined}>
              {page.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

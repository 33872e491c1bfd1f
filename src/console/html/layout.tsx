import type { ComponentChildren } from 'preact';
import { assets } from '../assets/asset-store';
import type { NavPage } from '../nav';
import { Form } from './form';
import type { PageOptions } from './page';
import type { Viewer } from './viewer';

interface LayoutProps {
  options: PageOptions;
  viewer: Viewer | null;
  nav: readonly NavPage[];
  /** Of the request. */
  path: string;
  children: ComponentChildren;
}

/** The frame around every page of the console. */
export function Layout({ options, viewer, nav, path, children }: LayoutProps) {
  const wide = viewer !== null && nav.length > 0 && !options.narrow;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${options.title} · External API`}</title>
        <link rel="icon" type="image/svg+xml" href={assets().url('icon.svg')} />
        <link rel="stylesheet" href={assets().url('console.css')} />
        {wide && <script type="module" src={assets().url('browser/console.js')} />}
        {options.script && <script type="module" src={assets().url(`browser/${options.script}`)} />}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Header viewer={viewer} />
        <div class={wide ? 'frame' : 'frame narrow'}>
          {wide && <Nav pages={nav} path={path} />}
          <main id="content">{children}</main>
        </div>
      </body>
    </html>
  );
}

function Header({ viewer }: { viewer: Viewer | null }) {
  return (
    <header>
      <a class="brand" href="/console">
        <img src={assets().url('icon.svg')} alt="" width="22" height="22" />
        External API
      </a>
      <a class="quiet" href="/docs">
        Docs
      </a>
      {viewer && (
        <div class="who">
          <span class="username" title="Signed in">
            {viewer.username}
          </span>
          <Form action="/console/sign-out">
            <button class="plain">Sign out</button>
          </Form>
        </div>
      )}
    </header>
  );
}

function Nav({ pages, path }: { pages: readonly NavPage[]; path: string }) {
  const isCurrent = (page: NavPage) => path === page.path || path.startsWith(`${page.path}/`);
  return (
    <nav aria-label="Console">
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

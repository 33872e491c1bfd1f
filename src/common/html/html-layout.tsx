import type { ComponentChildren } from 'preact';

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
  /** Navigation beside the content. Without it, the page is one narrow column. */
  sidebar?: ComponentChildren;
  children: ComponentChildren;
}

/** Document of every HTML page. Its styles are in `base.css`. */
export function HtmlLayout({ title, homePath, head, logo, header, sidebar, children }: HtmlLayoutProps) {
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
        <div class={sidebar ? 'frame' : 'frame narrow'}>
          {sidebar}
          <main id="main-content">{children}</main>
        </div>
      </body>
    </html>
  );
}

import type { ComponentChildren } from 'preact';
import { HtmlLayout, type NavigationPage } from '../../../common/html';
import { getAssetStore } from '../assets/asset-store';
import { Form } from './form';
import type { HtmlPageOptions } from './html-page';
import type { Viewer } from './viewer';

interface ConsoleLayoutProps {
  options: HtmlPageOptions;
  viewer: Viewer | null;
  navigationPages: readonly NavigationPage[];
  /** Path of the request. */
  path: string;
  children: ComponentChildren;
}

/** Layout of every console page. */
export function ConsoleLayout({ options, viewer, navigationPages, path, children }: ConsoleLayoutProps) {
  const hasNavigation = viewer !== null && navigationPages.length > 0 && !options.isNarrow;
  const scripts = [hasNavigation && 'console.js', options.script].filter((script) => typeof script === 'string');
  return (
    <HtmlLayout
      title={options.title}
      homePath="/console"
      head={<HeadLinks scripts={scripts} />}
      logo={<img src={getAssetStore().getUrl('icon.svg')} alt="" width="22" height="22" />}
      header={<HeaderLinks viewer={viewer} />}
      navigation={hasNavigation ? { label: 'Console', pages: navigationPages, path } : undefined}
    >
      {children}
    </HtmlLayout>
  );
}

function HeadLinks({ scripts }: { scripts: readonly string[] }) {
  return (
    <>
      <link rel="icon" type="image/svg+xml" href={getAssetStore().getUrl('icon.svg')} />
      <link rel="stylesheet" href={getAssetStore().getUrl('console.css')} />
      {scripts.map((script) => (
        <script key={script} type="module" src={getAssetStore().getUrl(`browser/${script}`)} />
      ))}
    </>
  );
}

function HeaderLinks({ viewer }: { viewer: Viewer | null }) {
  return (
    <>
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
    </>
  );
}

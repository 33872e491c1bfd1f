import type { ComponentChildren } from 'preact';
import { HtmlLayout } from '../../../common/html';
import { getAssetStore } from '../assets/asset-store';
import { ConsoleNavigation, NavigationButtons } from './console-navigation';
import { Form } from './form';
import type { HtmlPageOptions } from './html-page';
import type { Viewer } from './viewer';

interface ConsoleLayoutProps {
  options: HtmlPageOptions;
  viewer: Viewer | null;
  /** Path of the request. */
  path: string;
  children: ComponentChildren;
}

/** Layout of every console page. */
export function ConsoleLayout({ options, viewer, path, children }: ConsoleLayoutProps) {
  const hasNavigation = viewer !== null && !options.isNarrow;
  const scripts = [...(hasNavigation ? ['console.js', 'notices.js'] : []), options.script].filter(
    (script) => script !== undefined,
  );
  return (
    <HtmlLayout
      title={options.title}
      homePath="/console"
      head={<HeadLinks scripts={scripts} stylesheet={options.stylesheet} />}
      logo={<img src={getAssetStore().getUrl('icon.svg')} alt="" width="22" height="22" />}
      header={<HeaderLinks viewer={viewer} hasNavigation={hasNavigation} />}
      sidebar={hasNavigation ? <ConsoleNavigation viewer={viewer} path={path} /> : undefined}
    >
      {children}
    </HtmlLayout>
  );
}

function HeadLinks({ scripts, stylesheet }: { scripts: readonly string[]; stylesheet: string | undefined }) {
  return (
    <>
      <link rel="icon" type="image/svg+xml" href={getAssetStore().getUrl('icon.svg')} />
      <link rel="manifest" href="/console/manifest.webmanifest" />
      <link rel="apple-touch-icon" href={getAssetStore().getUrl('icon-maskable-512.png')} />
      <script src={getAssetStore().getUrl('theme.js')} />
      <link rel="stylesheet" href={getAssetStore().getUrl('console.css')} />
      {stylesheet && <link rel="stylesheet" href={getAssetStore().getUrl(stylesheet)} />}
      {scripts.map((script) => (
        <script key={script} type="module" src={getAssetStore().getUrl(`browser/${script}`)} />
      ))}
    </>
  );
}

function HeaderLinks({ viewer, hasNavigation }: { viewer: Viewer | null; hasNavigation: boolean }) {
  return (
    <>
      {hasNavigation && <NavigationButtons />}
      <a class="quiet" href="/docs">
        Docs
      </a>
      {viewer && <AccountMenu username={viewer.username} />}
    </>
  );
}

/** Hidden without scripts, which apply the theme and remember it in this browser (clients/console/src/lib/theme.ts). */
function ThemeChoice() {
  return (
    <fieldset class="theme-choice" id="theme" hidden>
      <legend>Theme</legend>
      {['System', 'Light', 'Dark'].map((name) => (
        <label key={name}>
          <input type="radio" name="theme" value={name.toLowerCase()} checked={name === 'System'} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Menu behind the username. Works without scripts. */
function AccountMenu({ username }: { username: string }) {
  return (
    <details class="menu">
      <summary aria-label={`Account ${username}`}>
        <span class="username">{username}</span>
      </summary>
      <ul>
        <li>
          <a href="/docs">Docs</a>
        </li>
        <li>
          <a href="/console/account">Settings</a>
        </li>
        <li>
          <a href="/console/devices#danger">Sign out everywhere …</a>
        </li>
        <li>
          <ThemeChoice />
        </li>
        <li>
          <Form action="/console/sign-out">
            <button class="plain">Sign out</button>
          </Form>
        </li>
      </ul>
    </details>
  );
}

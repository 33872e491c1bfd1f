import type { ComponentChildren } from 'preact';
import type { AppDescription } from '../../oauth';

/** What a sign-in page is told. */
export interface Destination {
  /** Where the page's module leads when the browser is signed in. */
  to: string;
  /** The app that waits there for the person's word; null: none. */
  app: AppDescription | null;
}

interface CardProps extends Destination {
  heading: string;
  children: ComponentChildren;
}

/** The frame of the sign-in pages: what their modules need, and what is said where those cannot run. */
export function Card({ heading, to, app, children }: CardProps) {
  return (
    <section class="card" id="card" data-return={to}>
      <h1>{heading}</h1>
      {app !== null && (
        <p>
          to continue to <strong class="app">{app.name}</strong>
        </p>
      )}
      <noscript>
        <p class="notice problem">This page makes and uses keys, for which it needs JavaScript.</p>
      </noscript>
      <p class="notice problem" id="problem" role="alert" hidden />
      <p class="progress" id="progress" role="status" />
      {children}
    </section>
  );
}

/** To one of the other sign-in pages, with the same end. */
export function Way({ page, to, children }: { page: string; to: string; children: ComponentChildren }) {
  const query = to === '/console' ? '' : `?return=${encodeURIComponent(to)}`;
  return <a href={`/console/${page}${query}`}>{children}</a>;
}

/** How the account's list of devices will call this browser; its module proposes a name. */
export function DeviceNameField() {
  return (
    <label>
      Name of this browser
      <input name="device-name" required maxlength={100} autocomplete="off" />
      <small>How your list of devices shows it.</small>
    </label>
  );
}

import type { ComponentChildren } from 'preact';
import type { RequestingAppDescription } from '../../../modules/oauth';

/** Where a sign-in page leads. */
export interface SignInDestination {
  /** Path that the page's module opens after signing in. */
  returnPath: string;
  /** The app that waits for consent on that page; null if there is none. */
  app: RequestingAppDescription | null;
}

interface SignInCardProps extends SignInDestination {
  heading: string;
  children: ComponentChildren;
}

/** Frame of the sign-in pages with the elements that their modules use and a notice for browsers without scripts. */
export function SignInCard({ heading, returnPath, app, children }: SignInCardProps) {
  return (
    <section class="card" id="card" data-return={returnPath}>
      <h1>{heading}</h1>
      {app !== null && (
        <p>
          to continue to <strong class="app">{app.name}</strong>
        </p>
      )}
      <noscript>
        <p class="notice problem">This page creates and uses keys in your browser. Turn on JavaScript to continue.</p>
      </noscript>
      <p class="notice problem" id="problem" role="alert" hidden />
      <p class="progress" id="progress" role="status" />
      {children}
    </section>
  );
}

/** Link to another sign-in page that keeps the return path. */
export function SignInLink({
  page,
  to: returnPath,
  children,
}: {
  page: string;
  to: string;
  children: ComponentChildren;
}) {
  const query = returnPath === '/console' ? '' : `?return=${encodeURIComponent(returnPath)}`;
  return <a href={`/console/${page}${query}`}>{children}</a>;
}

/** Name of this browser in the account's list of devices. The page's module suggests one. */
export function DeviceNameField() {
  return (
    <label>
      Name of this browser
      <input name="device-name" required maxlength={100} autocomplete="off" />
      <small>Your list of devices shows this name.</small>
    </label>
  );
}

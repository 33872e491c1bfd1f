import type { Scope } from '../../auth';
import type { RegisteredApp } from '../../developer-apps';
import type { OAuthRequestRow } from './oauth-requests.repository';

/** An app as people are shown it; all of it is to be escaped. */
export interface AppDescription {
  clientId: string;
  name: string;
  ownerUsername: string;
  homepageHost: string | null;
}

/** What a person is asked. */
export interface ConsentQuestion {
  kind: 'ask';
  /** The one-time id of the form. */
  ticket: string;
  app: AppDescription;
  scopes: Scope[];
  /** Where the browser goes next: host, and port unless it is the usual one. */
  redirectHost: string;
  /** The same as a source for the `form-action` of a Content-Security-Policy. */
  formAction: string;
}

export function consentQuestion(ticket: string, app: RegisteredApp, row: OAuthRequestRow): ConsentQuestion {
  const { host, hostname, protocol, origin } = new URL(row.redirect_uri);
  return {
    kind: 'ask',
    ticket,
    app: describeApp(app),
    scopes: row.scopes,
    redirectHost: host,
    // CSP 3 §2.3.1 has no way to write an IPv6 address.
    formAction: hostname.startsWith('[') ? protocol : origin,
  };
}

export function describeApp({ clientId, name, ownerUsername, homepageUrl }: RegisteredApp): AppDescription {
  const homepageHost = homepageUrl !== null && URL.canParse(homepageUrl) ? new URL(homepageUrl).host : null;
  return { clientId, name, ownerUsername, homepageHost };
}

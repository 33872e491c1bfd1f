import { canReachMachines, type Scope } from '../../../access/auth';
import { toVisibleText } from '../../../common/visible-text';
import type { RegisteredApp } from '../../developer-apps';
import type { OAuthRequestRow } from './oauth-requests.repository';

/** App description for the consent page. Callers must escape every field. */
export interface RequestingAppDescription {
  clientId: string;
  name: string;
  ownerUsername: string;
}

/** Content of the consent page. */
export interface ConsentPrompt {
  kind: 'ask';
  /** One-time id of the consent form. */
  ticket: string;
  app: RequestingAppDescription;
  /** Set only when the redirect URI has the same host: an app may register any homepage. */
  homepageHost: string | null;
  scopes: Scope[];
  /** Whether the requested or already granted scopes let the app act on the user's machines. */
  reachesMachines: boolean;
  /** Host of the redirect URI, with the port unless it is the default. */
  redirectHost: string;
  /** The same host as a `form-action` source for the Content-Security-Policy. */
  formAction: string;
}

/** @param grantedScopes scopes that the user has already granted to the app */
export function buildConsentPrompt(
  ticket: string,
  app: RegisteredApp,
  row: OAuthRequestRow,
  grantedScopes: readonly Scope[],
): ConsentPrompt {
  const { host, hostname, protocol, origin } = new URL(row.redirect_uri);
  return {
    kind: 'ask',
    ticket,
    app: toRequestingAppDescription(app),
    homepageHost: getUrlHost(app.homepageUrl) === host ? host : null,
    scopes: row.scopes,
    reachesMachines: canReachMachines([...row.scopes, ...grantedScopes]),
    redirectHost: host,
    // CSP 3 §2.3.1 has no syntax for IPv6 addresses.
    formAction: hostname.startsWith('[') ? protocol : origin,
  };
}

export function toRequestingAppDescription({ clientId, name, ownerUsername }: RegisteredApp): RequestingAppDescription {
  return { clientId, name: toVisibleText(name), ownerUsername };
}

function getUrlHost(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).host : null;
}

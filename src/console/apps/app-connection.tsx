import type { DeveloperAppRecord } from '../../developer-apps';
import { METADATA_PATH, serverMetadata } from '../../oauth';
import { Copyable } from '../parts/copyable';
import { authorizeLines, tokenLines } from './first-sign-in';

interface AppConnectionProps {
  app: DeveloperAppRecord;
  publicUrl: string;
}

/** What the app's program has to know, and a sign-in to try by hand. */
export function AppConnection({ app, publicUrl }: AppConnectionProps) {
  const { issuer, authorization_endpoint, token_endpoint } = serverMetadata(publicUrl);
  return (
    <section class="card">
      <h2>Client</h2>
      <Copyable label="Client id" text={app.clientId} />
      <dl class="facts">
        <dt>Issuer</dt>
        <dd class="mono">{issuer}</dd>
        <dt>Metadata</dt>
        <dd class="mono">{`${issuer}/${METADATA_PATH}`}</dd>
        <dt>Authorize</dt>
        <dd class="mono">{authorization_endpoint}</dd>
        <dt>Token</dt>
        <dd class="mono">{token_endpoint}</dd>
      </dl>
      <p>
        Any client library will do that knows the authorization code with PKCE (<code>S256</code>).{' '}
        <a href="/docs/oauth">OAuth for apps</a>
      </p>
      {app.state === 'active' && <ByHand app={app} publicUrl={publicUrl} />}
    </section>
  );
}

function ByHand({ app, publicUrl }: AppConnectionProps) {
  const [redirectUri] = app.redirectUris as [string];
  return (
    <details class="more">
      <summary>A first sign-in by hand</summary>
      <p>In a terminal, this prints an address. Open it in this browser, and allow what it asks:</p>
      <Copyable block label="Authorize" text={authorizeLines(publicUrl, app.clientId, redirectUri)} />
      <p>
        Your browser goes to the redirect URI, whether something answers there or not. Put the <code>code</code> of its
        address into <code>CODE</code> and the secret into <code>CLIENT_SECRET</code>; within a minute, in the same
        terminal:
      </p>
      <Copyable block label="Token" text={tokenLines(publicUrl, app.clientId, redirectUri)} />
    </details>
  );
}

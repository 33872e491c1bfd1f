import { Fragment } from 'preact';
import { Badge, CopyIconButton } from '@external-api/pages';
import type { DeveloperAppDto } from '../../../modules/developer-apps';
import { SERVER_METADATA_PATH, buildServerMetadata } from '../../../modules/oauth';
import { ConfirmAction, DangerZone } from '../components/confirm-action';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { Time } from '../components/time';
import { Form } from '../html/form';
import { AppSecrets } from './app-secrets';

export function AppPage({ app, publicUrl }: { app: DeveloperAppDto; publicUrl: string }) {
  return (
    <>
      <PageHead
        heading={app.name}
        description={app.description ?? undefined}
        parentLink={{ path: '/console/apps', text: 'Apps' }}
        actionLink={{ path: `/console/apps/${app.clientId}/edit`, text: 'Edit' }}
      />
      {app.state === 'disabled' && (
        <p class="notice">
          This app is disabled. Its tokens don’t work and users can’t approve it until you enable it.
        </p>
      )}
      {app.state === 'suspended' && (
        <p class="notice">
          The operator of this service has suspended this app. Its tokens don’t work and users can’t approve it.
        </p>
      )}
      <Facts app={app} />
      <AppConnection app={app} publicUrl={publicUrl} />
      <AppSecrets app={app} />
      <AppActions app={app} />
    </>
  );
}

function Facts({ app }: { app: DeveloperAppDto }) {
  return (
    <section class="card">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <AppStateBadge state={app.state} />
        </dd>
        <dt>Active users</dt>
        <dd>{app.activeUsers}</dd>
        <dt>Homepage</dt>
        <dd>{app.homepageUrl ?? <span class="none">none</span>}</dd>
        <dt>Redirect URIs</dt>
        <dd class="mono">
          {app.redirectUris.map((uri) => (
            <div key={uri}>{uri}</div>
          ))}
        </dd>
        <dt>Registered</dt>
        <dd>
          <Time at={app.createdAt} />
        </dd>
        <dt>Updated</dt>
        <dd>
          <Time at={app.updatedAt} />
        </dd>
      </dl>
    </section>
  );
}

interface AppConnectionProps {
  app: DeveloperAppDto;
  publicUrl: string;
}

/** Client settings of an app, and commands for a sign-in by hand. */
function AppConnection({ app, publicUrl }: AppConnectionProps) {
  const metadata = buildServerMetadata(publicUrl);
  const endpoints = [
    { name: 'Issuer', url: metadata.issuer },
    { name: 'Metadata', url: `${metadata.issuer}/${SERVER_METADATA_PATH}` },
    { name: 'Authorize', url: metadata.authorization_endpoint },
    { name: 'Token', url: metadata.token_endpoint },
    { name: 'Revoke', url: metadata.revocation_endpoint },
    { name: 'Introspect', url: metadata.introspection_endpoint },
  ];
  return (
    <section class="card">
      <h2>Client</h2>
      <Copyable label="Client ID" text={app.clientId} />
      <dl class="facts">
        {endpoints.map(({ name, url }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="mono with-copy">
              <span>{url}</span>
              <CopyIconButton text={url} label={`Copy ${name.toLowerCase()} URL`} />
            </dd>
          </Fragment>
        ))}
      </dl>
      <p>
        Any OAuth 2.0 client library that supports the authorization code with PKCE (<code>S256</code>) works.{' '}
        <a href="/docs/oauth">OAuth for apps</a>
      </p>
      {app.state === 'active' && <ManualSignIn app={app} publicUrl={publicUrl} />}
    </section>
  );
}

function ManualSignIn({ app, publicUrl }: AppConnectionProps) {
  const [redirectUri] = app.redirectUris as [string];
  return (
    <details class="more">
      <summary>Try a sign-in by hand</summary>
      <p>Run this in a terminal. It prints a URL: open it in this browser and allow the request.</p>
      <Copyable isBlock label="Authorize" text={buildAuthorizeCommands(publicUrl, app.clientId, redirectUri)} />
      <p>
        Your browser goes to the redirect URI, even if nothing answers there. Store the <code>code</code> parameter of
        its URL in <code>CODE</code> and the secret in <code>CLIENT_SECRET</code>. Then run this in the same terminal
        within a minute:
      </p>
      <Copyable isBlock label="Token" text={buildTokenCommand(publicUrl, app.clientId, redirectUri)} />
    </details>
  );
}

/**
 * Builds shell commands that print an authorization URL. Each run generates a new PKCE verifier, which a static link
 * could not: without its verifier, a code is useless.
 */
function buildAuthorizeCommands(publicUrl: string, clientId: string, redirectUri: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'profile:read',
    state: 'try',
    code_challenge_method: 'S256',
  });
  return [
    'VERIFIER=$(openssl rand -hex 32)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d =)`,
    `echo "${buildServerMetadata(publicUrl).authorization_endpoint}?${query.toString()}&code_challenge=$CHALLENGE"`,
  ].join('\n');
}

/** Builds the command that exchanges the code for tokens in the same shell. */
function buildTokenCommand(publicUrl: string, clientId: string, redirectUri: string): string {
  const redirect = new URLSearchParams({ redirect_uri: redirectUri });
  return [
    `curl -s ${buildServerMetadata(publicUrl).token_endpoint} -u "${clientId}:$CLIENT_SECRET" \\`,
    `  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" \\`,
    `  -d "${redirect.toString()}"`,
  ].join('\n');
}

/** Actions that stop an app temporarily or permanently. */
function AppActions({ app }: { app: DeveloperAppDto }) {
  const path = `/console/apps/${app.clientId}`;
  return (
    <DangerZone>
      {app.state === 'active' && (
        <ConfirmAction label="Disable" action={`${path}/disable`}>
          The app stops working within a second, and users can’t approve it. Its webhooks remain, but deliveries that
          are due meanwhile are dropped. Once you enable it again, existing approvals work again.
        </ConfirmAction>
      )}
      {app.state === 'disabled' && (
        <Form action={`${path}/enable`}>
          <button class="secondary">Enable</button>
        </Form>
      )}
      <ConfirmAction label="Sign out all users" action={`${path}/revoke-all`}>
        {formatUserCount(app)} This revokes all its tokens within a second, deletes the webhooks it created and ends its
        access to shared content. Users can approve it again.
      </ConfirmAction>
      <ConfirmAction label="Delete" action={`${path}/delete`}>
        {formatUserCount(app)} This deletes the app, its secrets, all its tokens and the webhooks it created within a
        second. It can’t be undone, and its client ID is never reused.
      </ConfirmAction>
    </DangerZone>
  );
}

function formatUserCount({ activeUsers }: DeveloperAppDto): string {
  if (activeUsers === 0) return 'No one uses it now.';
  return activeUsers === 1 ? 'One person uses it.' : `${activeUsers} people use it.`;
}

export function AppStateBadge({ state }: Pick<DeveloperAppDto, 'state'>) {
  return <Badge tone={state === 'active' ? 'good' : 'quiet'}>{state}</Badge>;
}

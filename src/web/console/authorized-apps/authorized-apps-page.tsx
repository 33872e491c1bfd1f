import { EmptyState } from '@external-api/pages';
import type { Page } from '../../../common/pages';
import { toVisibleText } from '../../../common/visible-text';
import type { AuthorizedAppDto } from '../../../modules/developer-apps';
import { ConfirmAction } from '../components/confirm-action';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { ScopeList } from '../components/scope-list';
import { Time } from '../components/time';
import { canReadContent, ShareSessionsSection } from '../sharing/share-sessions-section';

interface AuthorizedAppsPageProps {
  apps: Page<AuthorizedAppDto>;
  cursor: string | undefined;
}

export function AuthorizedAppsPage({ apps, cursor }: AuthorizedAppsPageProps) {
  return (
    <>
      <PageHead heading="Authorized apps" description="Third-party apps with access to your account." />
      {apps.data.length === 0 && cursor === undefined && <AuthorizedAppsEmptyState />}
      {apps.data.map((app) => (
        <AuthorizedAppCard key={app.clientId} app={app} />
      ))}
      <Pager path="/console/authorized-apps" cursor={cursor} nextCursor={apps.nextCursor} />
    </>
  );
}

/** Selects sessions to share with an app. */
export function ShareWithAppPage({ app, publicUrl }: { app: AuthorizedAppDto; publicUrl: string }) {
  const name = toVisibleText(app.name);
  return (
    <>
      <PageHead heading={name} parentLink={{ path: '/console/authorized-apps', text: 'Authorized apps' }} />
      <ShareSessionsSection granteeId={app.clientId} name={name} publicUrl={publicUrl} />
    </>
  );
}

function AuthorizedAppCard({ app }: { app: AuthorizedAppDto }) {
  const name = toVisibleText(app.name);
  return (
    <section class="card" aria-labelledby={app.clientId}>
      <h2 id={app.clientId} class="app">
        {name}
      </h2>
      <dl class="facts">
        <dt>Developer</dt>
        <dd>{app.ownerUsername}</dd>
        <dt>Authorized</dt>
        <dd>
          <Time at={app.createdAt} />
        </dd>
        <dt>Last used</dt>
        <dd>
          <Time at={app.lastUsedAt} />
        </dd>
      </dl>
      <h3>Scopes</h3>
      <ScopeList scopes={app.scopes} />
      <div class="acts">
        {canReadContent(app.scopes) && (
          <a
            class="button secondary"
            href={`/console/authorized-apps/${app.clientId}/share`}
            aria-label={`Share sessions with ${name}`}
          >
            Share sessions
          </a>
        )}
        <ConfirmAction label="Revoke" target={name} action={`/console/authorized-apps/${app.clientId}/revoke`}>
          This revokes {name}’s tokens within a second, deletes the webhooks it created and ends its access to content
          you shared with it. You can authorize it again later.
        </ConfirmAction>
      </div>
    </section>
  );
}

function AuthorizedAppsEmptyState() {
  return (
    <EmptyState heading="No authorized apps">
      <p>
        When an app wants access, it sends you to a page that shows who built it and what it will be able to do. The
        apps you allow are listed here, and you can revoke them at any time.
      </p>
      <p>
        To try it, register an app of your own under <a href="/console/apps">Apps</a> and sign in to it.{' '}
        <a href="/docs/console">When an app asks</a>
      </p>
    </EmptyState>
  );
}

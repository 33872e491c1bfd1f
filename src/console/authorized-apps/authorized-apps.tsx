import type { Page } from '../../common/pages';
import type { AuthorizedAppRecord } from '../../developer-apps';
import { Ask } from '../parts/ask';
import { Empty } from '../parts/empty';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { ScopeList } from '../parts/scope-list';
import { Time } from '../parts/time';

interface AuthorizedAppsProps {
  apps: Page<AuthorizedAppRecord>;
  cursor: string | undefined;
}

export function AuthorizedApps({ apps, cursor }: AuthorizedAppsProps) {
  return (
    <>
      <PageHead
        heading="Authorized apps"
        about="Apps of others that you let act for you. None of them can run commands on your machines."
      />
      {apps.data.length === 0 && cursor === undefined && <NoApp />}
      {apps.data.map((app) => (
        <AuthorizedApp key={app.clientId} app={app} />
      ))}
      <Pager path="/console/authorized-apps" cursor={cursor} nextCursor={apps.nextCursor} />
    </>
  );
}

function AuthorizedApp({ app }: { app: AuthorizedAppRecord }) {
  const homepageHost = hostOf(app.homepageUrl);
  return (
    <section class="card" aria-labelledby={app.clientId}>
      <h2 id={app.clientId} class="app">
        {app.name}
      </h2>
      <dl class="facts">
        <dt>By</dt>
        <dd>
          {app.ownerUsername}
          {homepageHost !== null && <small>{homepageHost}</small>}
        </dd>
        <dt>Since</dt>
        <dd>
          <Time at={app.createdAt} />
        </dd>
        <dt>Last used</dt>
        <dd>
          <Time at={app.lastUsedAt} />
        </dd>
      </dl>
      <h3>It may</h3>
      <ScopeList scopes={app.scopes} />
      <div class="acts">
        <Ask verb="Revoke" what={app.name} action={`/console/authorized-apps/${app.clientId}/revoke`}>
          {`${app.name} stops working for you within a second: its tokens, the webhooks that it made, and its way to content that you shared with it. Should it ask again, you can allow it again.`}
        </Ask>
      </div>
    </section>
  );
}

/** As much of a homepage as says whose it is; null where nothing does. */
function hostOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).host : null;
}

function NoApp() {
  return (
    <Empty heading="No app acts for you">
      <p>
        When one wants to, it sends you to a page that says who it is and what it may do. What you allow there, you find
        here, and can take back at any time.
      </p>
      <p>
        To see how that goes, register an app of your own under <a href="/console/apps">Apps</a> and let it in.{' '}
        <a href="/docs/console">When an app asks</a>
      </p>
    </Empty>
  );
}

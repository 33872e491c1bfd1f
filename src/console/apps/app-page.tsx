import type { DeveloperAppRecord } from '../../developer-apps';
import { PageHead } from '../parts/page-head';
import { Time } from '../parts/time';
import { AppActs } from './app-acts';
import { AppConnection } from './app-connection';
import { AppSecrets } from './app-secrets';
import { AppState } from './app-state';

export function AppPage({ app, publicUrl }: { app: DeveloperAppRecord; publicUrl: string }) {
  return (
    <>
      <PageHead
        heading={app.name}
        about={app.description ?? undefined}
        up={{ path: '/console/apps', text: 'Apps' }}
        act={{ path: `/console/apps/${app.clientId}/edit`, text: 'Edit' }}
      />
      {app.state === 'disabled' && (
        <p class="notice">It is disabled: nothing that it does works, and nobody can let it in, until you enable it.</p>
      )}
      <Facts app={app} />
      <AppConnection app={app} publicUrl={publicUrl} />
      <AppSecrets app={app} />
      <AppActs app={app} />
    </>
  );
}

function Facts({ app }: { app: DeveloperAppRecord }) {
  return (
    <section class="card">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <AppState state={app.state} />
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
        <dt>Changed</dt>
        <dd>
          <Time at={app.updatedAt} />
        </dd>
      </dl>
    </section>
  );
}

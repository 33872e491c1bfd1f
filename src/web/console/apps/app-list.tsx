import { EmptyState, Id, Table, type TableColumn } from '@external-api/pages';
import type { Page } from '../../../common/pages';
import type { DeveloperAppDto } from '../../../modules/developer-apps';
import { buildServerMetadata, SERVER_METADATA_PATH } from '../../../modules/oauth';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { Time } from '../components/time';
import { AppStateBadge } from './app-page';

const COLUMNS: readonly TableColumn<DeveloperAppDto>[] = [
  {
    name: 'App',
    cell: ({ clientId, name }) => (
      <>
        <a href={`/console/apps/${clientId}`}>{name}</a>
        <Id value={clientId} subject="client" />
      </>
    ),
  },
  { name: 'State', cell: ({ state }) => <AppStateBadge state={state} /> },
  { name: 'Users', cell: ({ activeUsers }) => activeUsers, isNumber: true },
  { name: 'Registered', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

interface AppListProps {
  apps: Page<DeveloperAppDto>;
  cursor: string | undefined;
  publicUrl: string;
}

export function AppList({ apps, cursor, publicUrl }: AppListProps) {
  return (
    <>
      <PageHead
        heading="Apps"
        description="OAuth apps you’ve built. Users approve each app before it can act for them."
        actionLink={{ path: '/console/apps/new', text: 'Register app' }}
      />
      {apps.data.length === 0 && cursor === undefined ? (
        <AppsEmptyState publicUrl={publicUrl} />
      ) : (
        <Table
          caption="Your apps, newest first"
          columns={COLUMNS}
          rows={apps.data}
          getKey={({ clientId }) => clientId}
        />
      )}
      <Pager path="/console/apps" cursor={cursor} nextCursor={apps.nextCursor} />
    </>
  );
}

function AppsEmptyState({ publicUrl }: { publicUrl: string }) {
  return (
    <EmptyState heading="No apps yet">
      <p>
        Register one to get a client ID and a secret. The app’s page has the commands for a first sign-in by hand.{' '}
        <a href="/docs/oauth">OAuth for apps</a> explains the rest.
      </p>
      <p>Sign-ins start at this URL, with the client ID and a PKCE challenge:</p>
      <Copyable isBlock label="Authorize" text={buildServerMetadata(publicUrl).authorization_endpoint} />
      <p>Client libraries read this and the other endpoints from the metadata:</p>
      <Copyable isBlock label="Metadata" text={`curl -s ${publicUrl}/${SERVER_METADATA_PATH}`} />
    </EmptyState>
  );
}

import type { Page } from '../../common/pages';
import type { DeveloperAppRecord } from '../../developer-apps';
import { serverMetadata } from '../../oauth';
import { Copyable } from '../parts/copyable';
import { Empty } from '../parts/empty';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Table, type Column } from '../parts/table';
import { Time } from '../parts/time';
import { AppState } from './app-state';
import { metadataCurl } from './first-sign-in';

const COLUMNS: readonly Column<DeveloperAppRecord>[] = [
  {
    name: 'App',
    cell: ({ clientId, name }) => (
      <>
        <a href={`/console/apps/${clientId}`}>{name}</a>
        <small class="mono">{clientId}</small>
      </>
    ),
  },
  { name: 'State', cell: ({ state }) => <AppState state={state} /> },
  { name: 'Users', cell: ({ activeUsers }) => activeUsers, isNumber: true },
  { name: 'Registered', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

interface AppListProps {
  apps: Page<DeveloperAppRecord>;
  cursor: string | undefined;
  publicUrl: string;
}

export function AppList({ apps, cursor, publicUrl }: AppListProps) {
  return (
    <>
      <PageHead
        heading="Apps"
        about="Yours, for other people: each asks them first, and may then do for them what they allowed."
        act={{ path: '/console/apps/new', text: 'Register an app' }}
      />
      {apps.data.length === 0 && cursor === undefined ? (
        <NoApp publicUrl={publicUrl} />
      ) : (
        <Table
          caption="Your apps, the newest first"
          columns={COLUMNS}
          rows={apps.data}
          keyOf={({ clientId }) => clientId}
        />
      )}
      <Pager path="/console/apps" cursor={cursor} nextCursor={apps.nextCursor} />
    </>
  );
}

function NoApp({ publicUrl }: { publicUrl: string }) {
  return (
    <Empty heading="No app yet">
      <p>
        Register one: it gets a client id and a secret, and its page has the lines for a first sign-in by hand.{' '}
        <a href="/docs/oauth">OAuth for apps</a> walks through the rest.
      </p>
      <p>Sign-ins begin at this address, with the client id and a challenge of PKCE:</p>
      <Copyable block label="Authorize" text={serverMetadata(publicUrl).authorization_endpoint} />
      <p>It and the other endpoints, as client libraries ask for them:</p>
      <Copyable block label="Metadata" text={metadataCurl(publicUrl)} />
    </Empty>
  );
}

import { EmptyState, Id, Table, type TableColumn, describeBrowser } from '@external-api/pages';
import type { Page } from '../../../common/pages';
import type { AuditEventDto } from '../../../modules/audit-events';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { Time } from '../components/time';
import type { FormState } from '../forms/form-state';
import { buildFilteredPath, FilterForm } from '../forms/log-filters';
import { MachineLimitNote } from '../tokens/token-machines';

const PATH = '/console/security-log';

/** What happened, as the start of a sentence. The page shows the target beside it. */
const ACT_LABELS: Record<AuditEventDto['act'], string> = {
  'account.created': 'Account created',
  'account.deleted': 'Account deleted',
  'account.exported': 'Data exported',
  'account.signed_out': 'Signed out everywhere',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.limits_changed': 'Limits changed',
  'device.signed_in': 'Signed in',
  'device.signed_out': 'Signed out',
  'device.added': 'Device added',
  'device.renamed': 'Device renamed',
  'device.revoked': 'Device revoked',
  'token.created': 'Token created',
  'token.rotated': 'Token rotated',
  'token.revoked': 'Token revoked',
  'app.authorized': 'App allowed',
  'app.authorization_revoked': 'App’s access revoked',
  'app.created': 'App registered',
  'app.updated': 'App changed',
  'app.enabled': 'App enabled',
  'app.disabled': 'App disabled',
  'app.deleted': 'App deleted',
  'app.suspended': 'App suspended',
  'app.resumed': 'App resumed',
  'app.authorizations_revoked': 'App’s access revoked for everybody',
  'app.secret_created': 'App secret created',
  'app.secret_deleted': 'App secret deleted',
  'key_grant.created': 'Content shared',
  'key_grant.revoked': 'Sharing ended',
  'permission_request.allowed': 'Permission request allowed',
  'permission_request.rejected': 'Permission request rejected',
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.disabled': 'Webhook disabled',
  'webhook.secret_rotated': 'Webhook secret rotated',
  'webhook.deliveries_replayed': 'Deliveries sent again',
  'webhook.deliveries_cancelled': 'Deliveries cancelled',
  'invitation.created': 'Invitation created',
  'signing_secrets.reencrypted': 'Signing secrets re-encrypted',
  'migration.applied': 'Database migrated',
  'migration.reverted': 'Migration reverted',
  'read_only.started': 'Read-only mode started',
  'read_only.ended': 'Read-only mode ended',
};

const ACTOR_KIND_LABELS: Record<AuditEventDto['actor']['kind'], string> = {
  device: 'Device',
  browser: 'Browser',
  token: 'Token',
  app: 'App',
  operator: 'Operator of the service',
  service: 'The service',
};

/** Pages of the records that have one, by the kind of record. */
const TARGET_FOLDERS: Partial<Record<AuditEventDto['target']['kind'], string>> = {
  token: '/console/tokens',
  webhook: '/console/webhooks',
};

const COLUMNS: readonly TableColumn<AuditEventDto>[] = [
  { name: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Event',
    cell: (event) => (
      <>
        {ACT_LABELS[event.act]}
        <TargetName event={event} />
        {event.act === 'token.created' && <MachineLimitNote machineIds={event.target.machineIds} />}
        {event.reason !== null && <small>{`Reason: ${event.reason}`}</small>}
      </>
    ),
  },
  {
    name: 'By',
    cell: ({ actor }) => (
      <>
        {actor.name !== null && <bdi>{actor.name}</bdi>}
        {actor.name === null && actor.id !== null && <Id value={actor.id} />}
        <small>{ACTOR_KIND_LABELS[actor.kind]}</small>
      </>
    ),
  },
  {
    name: 'Address',
    cell: ({ address, userAgent }) => (
      <>
        {address ?? <span class="none">none</span>}
        {userAgent !== null && <UserAgent text={userAgent} />}
      </>
    ),
  },
];

interface SecurityLogPageProps {
  events: Page<AuditEventDto>;
  cursor: string | undefined;
  filters: FormState;
  /** Unix ms. */
  now: number;
}

export function SecurityLogPage({ events, cursor, filters, now }: SecurityLogPageProps) {
  return (
    <>
      <PageHead
        heading="Security log"
        parentLink={{ path: '/console/account', text: 'Settings' }}
        description="Sign-ins, and changes of devices, tokens, apps, webhooks and sharing."
      />
      <FilterForm form={filters} path={PATH} now={now} label="Filter the events" />
      {events.data.length === 0 ? (
        <EmptyState heading="No matching events">
          <p>No stored event is from this time.</p>
        </EmptyState>
      ) : (
        <Table
          caption="Security-relevant events, newest first"
          columns={COLUMNS}
          rows={events.data}
          getKey={({ id }) => id}
        />
      )}
      <Pager path={buildFilteredPath(PATH, filters)} cursor={cursor} nextCursor={events.nextCursor} />
    </>
  );
}

/** Program of the caller: browsers by their names, with the whole text on request. */
function UserAgent({ text }: { text: string }) {
  const browser = describeBrowser(text);
  if (browser === null) return <small>{text}</small>;
  return (
    <details class="user-agent">
      <summary>{browser}</summary>
      <small>{text}</small>
    </details>
  );
}

/** Names the record, unless it is the account itself or the device that has signed in. */
function TargetName({ event: { target, actor } }: { event: AuditEventDto }) {
  if (target.id === null || target.kind === 'account' || target.id === actor.id) return null;
  const folder = TARGET_FOLDERS[target.kind];
  if (target.name === null) return <Id value={target.id} />;
  return <small>{folder ? <a href={`${folder}/${target.id}`}>{target.name}</a> : <bdi>{target.name}</bdi>}</small>;
}

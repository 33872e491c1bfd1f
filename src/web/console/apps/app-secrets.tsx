import { Table, type TableColumn } from '@external-api/pages';
import { type AppSecretDto, type DeveloperAppDto, MAX_LIVE_SECRETS } from '../../../modules/developer-apps';
import { ConfirmAction } from '../components/confirm-action';
import { Copyable } from '../components/copyable';
import { OneTimeSecret } from '../components/one-time-secret';
import { Time } from '../components/time';
import { InlineSelect } from '../forms/fields';

const SECRET_OVERLAP_OPTIONS = [
  { value: '', text: 'don’t expire' },
  { value: '3600', text: 'expire in an hour' },
  { value: '86400', text: 'expire in a day' },
  { value: '604800', text: 'expire in a week' },
  { value: '0', text: 'expire immediately' },
];

const maskSecret = ({ last4 }: AppSecretDto) => `svc_ocs_…${last4}`;

const SECRET_COLUMNS: readonly TableColumn<AppSecretDto>[] = [
  { name: 'Secret', cell: (secret) => <span class="mono whole">{maskSecret(secret)}</span> },
  { name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

/** Lists the app's secrets and rotates them without an outage. */
export function AppSecrets({ app: { clientId, secrets } }: { app: DeveloperAppDto }) {
  const path = `/console/apps/${clientId}/secrets`;
  const columns = secrets.length > 1 ? [...SECRET_COLUMNS, createRetireColumn(path)] : SECRET_COLUMNS;
  return (
    <section class="part" aria-labelledby="secrets">
      <h2 id="secrets">Secrets</h2>
      <Table caption="The app’s secrets, oldest first" columns={columns} rows={secrets} getKey={({ id }) => id} />
      {secrets.length < MAX_LIVE_SECRETS ? (
        <div class="acts">
          <AddSecretAction path={path} />
        </div>
      ) : (
        <p class="fine">{`An app can have ${MAX_LIVE_SECRETS} secrets at a time. Retire one to add another.`}</p>
      )}
    </section>
  );
}

function createRetireColumn(path: string): TableColumn<AppSecretDto> {
  return {
    name: 'Action',
    cell: (secret) => (
      <ConfirmAction label="Retire" target={maskSecret(secret)} action={`${path}/${secret.id}/retire`}>
        The app can no longer get or refresh tokens with this secret. The other secrets keep working.
      </ConfirmAction>
    ),
  };
}

function AddSecretAction({ path }: { path: string }) {
  return (
    <ConfirmAction
      label="Add secret"
      action={path}
      isHarmless
      fields={<InlineSelect name="expireOthersInSeconds" label="Other secrets" options={SECRET_OVERLAP_OPTIONS} />}
    >
      Deploy the new secret everywhere before the others expire. The app can’t get or refresh tokens with an expired
      secret.
    </ConfirmAction>
  );
}

interface AppSecretCreatedPageProps {
  heading: string;
  app: DeveloperAppDto;
  clientSecret: string;
}

/** Shows a new client secret together with the client ID. */
export function AppSecretCreatedPage({ heading, app, clientSecret }: AppSecretCreatedPageProps) {
  return (
    <OneTimeSecret
      heading={heading}
      label={`Client secret of ${app.name}`}
      secret={clientSecret}
      nextLink={{ path: `/console/apps/${app.clientId}`, text: 'I’ve saved it' }}
    >
      <h2>Client ID</h2>
      <Copyable label="Client ID" text={app.clientId} />
    </OneTimeSecret>
  );
}

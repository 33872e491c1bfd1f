import { MAX_LIVE_SECRETS, type AppSecretRecord, type DeveloperAppRecord } from '../../developer-apps';
import { Ask } from '../parts/ask';
import { Table, type Column } from '../parts/table';
import { Time } from '../parts/time';

const OTHERS_END = [
  { value: '', text: 'go on working' },
  { value: '3600', text: 'end in an hour' },
  { value: '86400', text: 'end in a day' },
  { value: '604800', text: 'end in a week' },
  { value: '0', text: 'end at once' },
];

const maskOf = ({ last4 }: AppSecretRecord) => `svc_ocs_…${last4}`;

const COLUMNS: readonly Column<AppSecretRecord>[] = [
  { name: 'Secret', cell: (secret) => <span class="mono">{maskOf(secret)}</span> },
  { name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { name: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

/** The app's live secrets, and how they are exchanged without an outage. */
export function AppSecrets({ app: { clientId, secrets } }: { app: DeveloperAppRecord }) {
  const path = `/console/apps/${clientId}/secrets`;
  const columns = secrets.length > 1 ? [...COLUMNS, retiring(path)] : COLUMNS;
  return (
    <section class="part" aria-labelledby="secrets">
      <h2 id="secrets">Secrets</h2>
      <Table caption="The app’s secrets, the oldest first" columns={columns} rows={secrets} keyOf={({ id }) => id} />
      {secrets.length < MAX_LIVE_SECRETS ? (
        <div class="acts">
          <Adding path={path} />
        </div>
      ) : (
        <p class="fine">{`There are at most ${MAX_LIVE_SECRETS} at a time. Retire one to add another.`}</p>
      )}
    </section>
  );
}

function retiring(path: string): Column<AppSecretRecord> {
  return {
    name: 'Act',
    cell: (secret) => (
      <Ask verb="Retire" what={maskOf(secret)} action={`${path}/${secret.id}/retire`}>
        Wherever the app still has this secret, it cannot get or refresh tokens from now on. The other secrets stay.
      </Ask>
    ),
  };
}

function Adding({ path }: { path: string }) {
  return (
    <Ask
      verb="Add a secret"
      action={path}
      harmless
      fields={
        <label>
          The others
          <select name="expireOthersInSeconds">
            {OTHERS_END.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      }
    >
      Put the new one in place everywhere before the others end: with a secret that has ended the app cannot get or
      refresh tokens.
    </Ask>
  );
}

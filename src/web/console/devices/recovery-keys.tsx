import { Table, type TableColumn } from '@external-api/pages';
import type { DeviceDto } from '../../../modules/devices';
import { ConfirmAction } from '../components/confirm-action';
import { Time } from '../components/time';

const RECOVERY_KEY_COLUMNS: readonly TableColumn<DeviceDto>[] = [
  { name: 'Key', cell: ({ name }) => <strong>{name}</strong> },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { name: 'Fingerprint', cell: ({ fingerprint }) => <span class="mono whole">{fingerprint}</span> },
  { name: 'Revoke', cell: (device) => <RevokeRecoveryKey device={device} /> },
];

/** Section with the recovery keys of the account, the revoked ones included. */
export function RecoveryKeys({ devices }: { devices: readonly DeviceDto[] }) {
  const hasActiveKey = devices.some(({ state }) => state !== 'revoked');
  return (
    <section class="part" aria-labelledby="recovery-keys">
      <h2 id="recovery-keys">{devices.length > 1 ? 'Recovery keys' : 'Recovery key'}</h2>
      <p>
        {hasActiveKey
          ? 'On paper. It restores your account if you lose all other devices.'
          : 'The account has no recovery key. If you lose all of its devices, nobody can restore it.'}
      </p>
      {devices.length > 0 && (
        <Table caption="Recovery keys" columns={RECOVERY_KEY_COLUMNS} rows={devices} getKey={({ id }) => id} />
      )}
      <p class="acts">
        <a class="button secondary" href="/console/devices/recovery-key">
          Create a recovery key
        </a>
      </p>
    </section>
  );
}

function RevokeRecoveryKey({ device: { id, name, state } }: { device: DeviceDto }) {
  if (state === 'revoked') return <span class="none">revoked</span>;
  return (
    <ConfirmAction label="Revoke" target={name} action={`/console/devices/${id}/revoke`}>
      The copy on paper stops working. Without another account device or recovery key, nobody can restore the account.
      It can’t be undone.
    </ConfirmAction>
  );
}

import { Badge, Table, type TableColumn } from '@external-api/pages';
import { MINUTE } from '../../../common/clock';
import type { Page } from '../../../common/pages';
import { RECOVERY_KEY_PLATFORM, type DeviceDto } from '../../../modules/devices';
import type { FormState } from '../forms/form-state';
import { RenameInPlace } from '../forms/rename-in-place';
import { ConfirmAction, DangerZone } from '../components/confirm-action';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { Time } from '../components/time';
import { PairingCodeForm } from './pairing-page';
import { RecoveryKeys } from './recovery-keys';

/** An account device that was seen this recently counts as active. Machines are online while they are connected. */
const ACTIVE_MS = MINUTE;

const createDeviceColumns = (currentDeviceId: string, now: number): readonly TableColumn<DeviceDto>[] => [
  {
    name: 'Device',
    cell: ({ id, name, kind, platform }) => (
      <>
        <strong>{name}</strong>
        <small>
          {kind === 'machine' ? 'Machine' : 'Account device'} · {platform}
          {id === currentDeviceId && ' · this browser'}
        </small>
      </>
    ),
  },
  {
    name: 'State',
    cell: (device) => <DeviceState device={device} isCurrent={device.id === currentDeviceId} now={now} />,
  },
  { name: 'Fingerprint', cell: ({ fingerprint }) => <span class="mono whole">{fingerprint}</span> },
  {
    name: 'Change',
    cell: (device) => (
      <div class="acts">
        {device.state !== 'revoked' && (
          <RenameInPlace name={device.name} action={`/console/devices/${device.id}/rename`} />
        )}
        <RevokeDevice device={device} isOwn={device.id === currentDeviceId} />
      </div>
    ),
  },
];

interface DeviceListProps {
  devices: Page<DeviceDto>;
  /** All of the account, shown on the first page. */
  recoveryKeys: readonly DeviceDto[];
  cursor: string | undefined;
  /** The device that shows the page. */
  currentDeviceId: string;
  codeForm: FormState;
  /** Unix ms. */
  now: number;
}

export function DeviceList({ devices, recoveryKeys, cursor, currentDeviceId, codeForm, now }: DeviceListProps) {
  return (
    <>
      <PageHead
        heading="Devices"
        description="Machines run sessions and commands. Account devices read sessions and manage the account."
      />
      <PairingCodeForm form={codeForm} />
      <Table
        caption="Your devices, newest first"
        columns={createDeviceColumns(currentDeviceId, now)}
        rows={devices.data.filter(({ platform }) => platform !== RECOVERY_KEY_PLATFORM)}
        getKey={({ id }) => id}
      />
      <Pager path="/console/devices" cursor={cursor} nextCursor={devices.nextCursor} />
      {cursor === undefined && <RecoveryKeys devices={recoveryKeys} />}
      <DangerZone>
        <SignOutEverywhere />
      </DangerZone>
    </>
  );
}

/** Action that signs out all account devices. */
export function SignOutEverywhere() {
  return (
    <ConfirmAction label="Sign out everywhere" action="/console/devices/sign-out-everywhere">
      This signs out every browser and every other account device, including this one. They remain devices of your
      account and can sign in again with their keys, so revoke any device you have lost. Machines are not affected.
    </ConfirmAction>
  );
}

interface DeviceStateProps {
  device: DeviceDto;
  /** The device shows the page. */
  isCurrent: boolean;
  /** Unix ms. */
  now: number;
}

/** Machines are online or offline. Account devices have no permanent connection, so their last activity is shown. */
function DeviceState({ device: { kind, state, lastSeenAt }, isCurrent, now }: DeviceStateProps) {
  if (state === 'revoked') return <Badge tone="bad">revoked</Badge>;
  const isActive = isCurrent || state === 'online' || (lastSeenAt !== null && now - lastSeenAt < ACTIVE_MS);
  if (kind === 'account' && isActive) return <Badge tone="good">active now</Badge>;
  if (state === 'online') return <Badge tone="good">online</Badge>;
  return (
    <span>
      {kind === 'machine' && <Badge tone="quiet">offline</Badge>}
      <small>
        {lastSeenAt === null ? 'never active' : kind === 'machine' ? 'last seen ' : 'last active '}
        {lastSeenAt !== null && <Time at={lastSeenAt} />}
      </small>
    </span>
  );
}

interface RevokeDeviceProps {
  device: DeviceDto;
  /** The device shows the page. */
  isOwn: boolean;
  /** Page that follows. */
  returnPath?: string;
}

export function RevokeDevice({ device: { id, name, kind, state }, isOwn, returnPath }: RevokeDeviceProps) {
  if (state === 'revoked') return <span class="none">revoked</span>;
  const fields = returnPath !== undefined && <input type="hidden" name="return" value={returnPath} />;
  return (
    <ConfirmAction label="Revoke" target={name} action={`/console/devices/${id}/revoke`} fields={fields}>
      {kind === 'machine'
        ? 'This disconnects the machine within a second. Commands and messages no longer reach it, and its sessions ' +
          'can’t continue.'
        : 'This signs the device out within a second. Its keys can never be used again.'}{' '}
      {isOwn && 'It is the browser you are using now. '}It may still have whatever it has already read.
    </ConfirmAction>
  );
}

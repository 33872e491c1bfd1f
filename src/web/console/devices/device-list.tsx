import type { Page } from '../../../common/pages';
import type { DeviceDto } from '../../../modules/devices';
import type { FormState } from '../forms/form-state';
import { ConfirmAction } from '../components/confirm-action';
import { Badge, type Tone } from '../components/badge';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { Table, type TableColumn } from '../components/table';
import { Time } from '../components/time';
import { PairingCodeForm } from './pairing-page';

const TONES: Record<DeviceDto['state'], Tone> = { online: 'good', offline: 'quiet', revoked: 'bad' };

const createDeviceColumns = (currentDeviceId: string): readonly TableColumn<DeviceDto>[] => [
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
  { name: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
  { name: 'Fingerprint', cell: ({ fingerprint }) => <span class="mono">{fingerprint}</span> },
  { name: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  {
    name: 'Revoke',
    cell: (device) => <RevokeDevice device={device} isOwn={device.id === currentDeviceId} />,
  },
];

interface DeviceListProps {
  devices: Page<DeviceDto>;
  cursor: string | undefined;
  /** The device that shows the page. */
  currentDeviceId: string;
  codeForm: FormState;
}

export function DeviceList({ devices, cursor, currentDeviceId, codeForm }: DeviceListProps) {
  return (
    <>
      <PageHead
        heading="Devices"
        description="Machines run sessions and commands. Account devices read sessions and manage the account."
      />
      <PairingCodeForm form={codeForm} />
      <Table
        caption="Your devices, newest first"
        columns={createDeviceColumns(currentDeviceId)}
        rows={devices.data}
        getKey={({ id }) => id}
      />
      <Pager path="/console/devices" cursor={cursor} nextCursor={devices.nextCursor} />
      <section class="acts ending" aria-label="Sessions">
        <ConfirmAction label="Sign out everywhere" action="/console/devices/sign-out-everywhere">
          This signs out every browser and every other account device, including this one. They remain devices of your
          account and can sign in again with their keys, so revoke any device you have lost. Machines are not affected.
        </ConfirmAction>
      </section>
    </>
  );
}

function RevokeDevice({ device: { id, name, kind, state }, isOwn: isCurrent }: { device: DeviceDto; isOwn: boolean }) {
  if (state === 'revoked') return <span class="none">revoked</span>;
  return (
    <ConfirmAction label="Revoke" target={name} action={`/console/devices/${id}/revoke`}>
      {kind === 'machine'
        ? 'This disconnects the machine within a second. Commands and messages no longer reach it, and its sessions ' +
          'can’t continue.'
        : 'This signs the device out within a second. Its keys can never be used again.'}{' '}
      {isCurrent && 'It is the browser you are using now. '}It may still have whatever it has already read.
    </ConfirmAction>
  );
}

import type { Page } from '../../common/pages';
import type { DeviceRecord } from '../../devices';
import type { FormState } from '../forms/form-state';
import { Ask } from '../parts/ask';
import { Badge, type Tone } from '../parts/badge';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Table, type Column } from '../parts/table';
import { Time } from '../parts/time';
import { PairingCodeForm } from './pairing-code-form';

const TONES: Record<DeviceRecord['state'], Tone> = { online: 'good', offline: 'quiet', revoked: 'bad' };

const columns = (ownId: string): readonly Column<DeviceRecord>[] => [
  {
    name: 'Device',
    cell: ({ id, name, kind, platform }) => (
      <>
        <strong>{name}</strong>
        <small>
          {kind === 'machine' ? 'Machine' : 'Account device'} · {platform}
          {id === ownId && ' · this browser'}
        </small>
      </>
    ),
  },
  { name: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
  { name: 'Fingerprint', cell: ({ fingerprint }) => <span class="mono">{fingerprint}</span> },
  { name: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { name: 'Revoke', cell: (device) => <Revoke device={device} isOwn={device.id === ownId} /> },
];

interface DeviceListProps {
  devices: Page<DeviceRecord>;
  cursor: string | undefined;
  /** Of the browser that looks. */
  ownId: string;
  code: FormState;
}

export function DeviceList({ devices, cursor, ownId, code }: DeviceListProps) {
  return (
    <>
      <PageHead
        heading="Devices"
        about="Machines run sessions and commands. Account devices read them, and manage the account."
      />
      <PairingCodeForm form={code} />
      <Table
        caption="Your devices, the newest first"
        columns={columns(ownId)}
        rows={devices.data}
        keyOf={({ id }) => id}
      />
      <Pager path="/console/devices" cursor={cursor} nextCursor={devices.nextCursor} />
      <section class="acts ending" aria-label="Sessions">
        <Ask verb="Sign out everywhere" action="/console/devices/sign-out-everywhere">
          Every browser and every other account device is signed out, this one too. They stay devices of your account,
          and sign in again with their keys; a device that you have lost has to be revoked. Machines go on.
        </Ask>
      </section>
    </>
  );
}

function Revoke({ device: { id, name, kind, state }, isOwn }: { device: DeviceRecord; isOwn: boolean }) {
  if (state === 'revoked') return <span class="none">revoked</span>;
  return (
    <Ask verb="Revoke" what={name} action={`/console/devices/${id}/revoke`}>
      {kind === 'machine'
        ? 'The machine is cut off within a second: commands and messages no longer reach it, and its sessions cannot go on here.'
        : 'The device is signed out within a second and can never come back with its keys.'}{' '}
      {isOwn && 'It is the browser that you are looking at. '}What it has read before, it may still have.
    </Ask>
  );
}

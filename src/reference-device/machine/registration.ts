import { arch } from 'node:os';
import { metadataPlace } from '../../wire';
import type { Data, MachineRecord, SessionRecord } from '../api-records';
import { sealContent } from '../content/content';
import { generateDataKey, type DataKey, type SealedDataKey } from '../content/data-key';
import type { HostedSession } from '../history/session-history';
import type { SignedInDevice } from '../signed-in-device';

const FIRST_VERSION = 1;

/** Registers the calling machine device; a repeat updates it (device-api.md, `POST /v1/machines`). */
export async function registerMachine(
  device: SignedInDevice,
  about: { name: string; platform: string },
): Promise<MachineRecord> {
  const body = { ...about, arch: arch() };
  return (await device.call<Data<MachineRecord>>('POST', '/v1/machines', body)).data;
}

/**
 * Opens the session that this machine hosts, or finds it again. Its data key is stored before it is sent: only the
 * account can open the sealed copy.
 * @param about the session's metadata, encrypted when the session is made
 * @throws Error when the session exists with a data key that this device does not hold
 */
export async function openSession(
  device: SignedInDevice,
  tag: string,
  machineId: string,
  about: object,
): Promise<HostedSession> {
  const accountId = device.state.account?.id ?? '';
  const dataKey = await dataKeyFor(device, tag);
  const metadata = await sealContent(
    { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(about)) },
    dataKey,
    metadataPlace(accountId, tag, FIRST_VERSION),
  );
  const body = { tag, machineId, dataKey: { kid: dataKey.kid, sealed: dataKey.sealed }, metadata };
  const { data } = await device.call<Data<SessionRecord>>('POST', '/v1/sessions', body);
  if (data.dataKey.kid !== dataKey.kid)
    throw new Error(`The session "${tag}" has a data key that this device does not hold: choose another tag.`);
  return { accountId, id: data.id, tag, dataKey };
}

async function dataKeyFor(device: SignedInDevice, tag: string): Promise<DataKey & SealedDataKey> {
  const known = (device.state.dataKeys ??= {});
  if (!Object.hasOwn(known, tag)) {
    known[tag] = await generateDataKey((await device.enrollment()).contentPublicKey);
    await device.save();
  }
  return known[tag] as DataKey & SealedDataKey;
}

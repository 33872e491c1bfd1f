import { arch } from 'node:os';
import type { Data, MachineRecord, SessionRecord } from '../api-records';
import { generateDataKey } from '../data-key';
import type { SignedInDevice } from '../signed-in-device';

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
 * @throws Error when the session exists with a data key that this device does not hold
 */
export async function openSession(
  device: SignedInDevice,
  tag: string,
  machineId: string,
): Promise<SessionRecord> {
  const dataKey = await dataKeyFor(device, tag);
  const body = { tag, machineId, dataKey: { kid: dataKey.kid, sealed: dataKey.sealed } };
  const { data } = await device.call<Data<SessionRecord>>('POST', '/v1/sessions', body);
  if (data.dataKey && data.dataKey.kid !== dataKey.kid)
    throw new Error(
      `The session "${tag}" has a data key that this device does not hold: choose another tag.`,
    );
  return data;
}

async function dataKeyFor(device: SignedInDevice, tag: string) {
  const known = (device.state.dataKeys ??= {});
  if (!Object.hasOwn(known, tag)) {
    known[tag] = await generateDataKey((await device.enrollment()).contentPublicKey);
    await device.save();
  }
  return known[tag] as NonNullable<(typeof known)[string]>;
}

import { arch } from 'node:os';
import { buildMetadataBinding } from '../../../protocol';
import type { DataEnvelope, MachineResource, SessionResource } from '../api-resources';
import { sealContent } from '../content/content';
import { generateDataKey, type DataKey, type SealedDataKey } from '../content/data-key';
import type { HostedSession } from '../history/session-history';
import type { SignedInDevice } from '../signed-in-device';

const FIRST_METADATA_VERSION = 1;

/** Registers the calling machine device or updates its registration (docs/protocol/device-api.md#sync). */
export async function registerMachine(
  device: SignedInDevice,
  description: { name: string; platform: string },
): Promise<MachineResource> {
  const body = { ...description, arch: arch() };
  return (await device.callApi<DataEnvelope<MachineResource>>('POST', '/v1/machines', body)).data;
}

/**
 * Creates the session that this machine hosts, or returns the existing one. Stores its data key before the request,
 * because only the account can unseal the copy that is sent.
 * @param sessionMetadata metadata that is encrypted when the session is created
 * @throws Error when the session exists with a data key that this device does not have
 */
export async function openMachineSession(
  device: SignedInDevice,
  tag: string,
  machineId: string,
  sessionMetadata: object,
): Promise<HostedSession> {
  const accountId = device.state.account?.id ?? '';
  const dataKey = await getOrCreateDataKey(device, tag);
  const metadata = await sealContent(
    { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(sessionMetadata)) },
    dataKey,
    buildMetadataBinding(accountId, tag, FIRST_METADATA_VERSION),
  );
  const body = { tag, machineId, dataKey: { kid: dataKey.kid, sealed: dataKey.sealed }, metadata };
  const { data } = await device.callApi<DataEnvelope<SessionResource>>('POST', '/v1/sessions', body);
  if (data.dataKey.kid !== dataKey.kid)
    throw new Error(`The session "${tag}" has a data key that this device does not have. Choose another tag.`);
  return { accountId, id: data.id, tag, dataKey };
}

async function getOrCreateDataKey(device: SignedInDevice, tag: string): Promise<DataKey & SealedDataKey> {
  const dataKeys = (device.state.dataKeys ??= {});
  if (!Object.hasOwn(dataKeys, tag)) {
    dataKeys[tag] = await generateDataKey((await device.getEnrollment()).contentPublicKey);
    await device.saveState();
  }
  return dataKeys[tag] as DataKey & SealedDataKey;
}

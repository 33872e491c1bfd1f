import { arch } from 'node:os';
import {
  buildMetadataBinding,
  type DataKey,
  generateDataKey,
  sealContent,
  type SealedDataKey,
} from '@external-api/protocol';
import type { DataEnvelope, MachineResource, SessionResource } from '../api-resources';
import { ApiResponseError } from '../client-errors';
import { addDataKey, findDataKey, type AgentOptionName } from '../device-state';
import { CommandError } from '../exec/command-error';
import type { HostedSession } from '../history/session-history';
import type { SignedInDevice } from '../signed-in-device';

const FIRST_METADATA_VERSION = 1;

/** Thrown when another device has created the session. */
export class ForeignSessionError extends Error {}

/** An agent that callers may name when they start a session (docs/protocol/agents.md#agents-of-a-machine). */
export interface AnnouncedAgent {
  name: string;
  title: string;
  version?: string;
  modes?: readonly string[];
  /** Only for a service that accepts `session.options`. */
  options?: readonly AgentOptionName[];
}

/**
 * Registers the calling machine device or updates its registration (docs/protocol/device-api.md#sync).
 * @param agents only for a service that accepts `session.start`. Without them, the machine announces none
 */
export async function registerMachine(
  device: SignedInDevice,
  description: { name: string; platform: string },
  agents?: AnnouncedAgent[],
): Promise<MachineResource> {
  const body = { ...description, arch: arch(), agents };
  return (await device.callApi<DataEnvelope<MachineResource>>('POST', '/v1/machines', body)).data;
}

/**
 * Registers the machine before it is connected. Announces its agents again if the service has accepted them before, so
 * that they don't disappear until `hello` says that it still does.
 */
export async function registerMachineAtStart(
  device: SignedInDevice,
  description: { name: string; platform: string },
  agents: AnnouncedAgent[],
): Promise<MachineResource> {
  if (agents.length === 0 || !device.state.areAgentsAnnounced) return registerMachine(device, description);
  // The service may be of a release that doesn't know options of agents, or agents.
  for (const known of [agents, withoutOptions(agents)]) {
    try {
      return await registerMachine(device, description, known);
    } catch (error) {
      if (!(error instanceof ApiResponseError && error.code === 'invalid_request')) throw error;
    }
  }
  return registerMachine(device, description);
}

export function withoutOptions(agents: readonly AnnouncedAgent[]): AnnouncedAgent[] {
  return agents.map(({ options: _, ...agent }) => agent);
}

/**
 * Creates the session that this machine hosts, or returns the existing one. Stores its data key before the request,
 * because only the account can unseal the copy that is sent.
 * @param sessionMetadata metadata that is encrypted when the session is created
 * @throws ForeignSessionError when the session exists with a data key that this device does not have
 * @throws CommandError `busy` when the key can't be stored; then nothing was sent
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
    throw new ForeignSessionError(
      `The session "${tag}" has a data key that this device does not have. Choose another tag.`,
    );
  return { accountId, id: data.id, tag, dataKey };
}

/**
 * Stores the key before it is returned. Calls at the same time return the same key.
 * @throws CommandError `busy` if the key file can't be written
 */
async function getOrCreateDataKey(device: SignedInDevice, tag: string): Promise<DataKey & SealedDataKey> {
  const { state } = device;
  if (!findDataKey(state, tag)) {
    const newKey = await generateDataKey((await device.getEnrollment()).contentPublicKey);
    if (!findDataKey(state, tag)) addDataKey(state, tag, newKey);
  }
  // An earlier call may have failed to store the key that is known.
  await device.saveState().catch((error: Error) => {
    throw new CommandError('busy', `The key file can't be written: ${error.message}`);
  });
  return findDataKey(state, tag)!;
}

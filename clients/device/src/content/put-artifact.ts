import {
  buildArtifactBinding,
  type Content,
  generateDataKey,
  sealContent,
  type SealedDataKey,
} from '@external-api/protocol';
import type { ArtifactResource, DataEnvelope, SessionResource } from '../api-resources';
import { toPublicKey } from '../keys';
import type { DeviceContentClient } from './device-content-client';

/**
 * Stores an artifact under a tag, or replaces the artifact with this tag (docs/protocol/device-api.md#sync).
 * @param session session whose data key encrypts the artifact and whose grants cover it. Default: a separate data key.
 * @throws Error when the stored artifact has another media type; ApiResponseError 409 `conflict` when another device
 * replaces the artifact at the same time, 403 `plan_limit_exceeded`
 */
export async function putArtifact(
  content: DeviceContentClient,
  tag: string,
  artifactContent: Content,
  session?: Pick<SessionResource, 'id' | 'dataKey'>,
): Promise<ArtifactResource> {
  const { device, accountId } = content;
  const { kid, sealed } = session ? session.dataKey : await generateAccountDataKey(content);
  const sealContentFor = async (dataKey: SealedDataKey, version: number) =>
    sealContent(
      artifactContent,
      await content.getDataKey({ tag, dataKey }),
      buildArtifactBinding(accountId, tag, version),
    );

  const firstContent = await sealContentFor({ kid, sealed }, 1);
  const { mediaType } = artifactContent;
  const body = { tag, sessionId: session?.id, mediaType, dataKey: { kid, sealed }, content: firstContent };
  const { data: stored } = await device.callApi<DataEnvelope<ArtifactResource>>('POST', '/v1/artifacts', body);
  if (stored.content === firstContent) return stored;
  if (stored.mediaType !== mediaType)
    throw new Error(`"${tag}" is stored as ${stored.mediaType}. A replacement must have the same media type.`);

  const replacement = {
    content: await sealContentFor(stored.dataKey, stored.version + 1),
    expectedVersion: stored.version,
  };
  const path = `/v1/artifacts/${encodeURIComponent(stored.id)}/content`;
  return (await device.callApi<DataEnvelope<ArtifactResource>>('PUT', path, replacement)).data;
}

async function generateAccountDataKey({ device }: DeviceContentClient): Promise<SealedDataKey> {
  const { contentKey } = device.state;
  if (!contentKey)
    throw new Error('A machine can only store artifacts in a session that it hosts. Name one with --session.');
  return generateDataKey(toPublicKey(contentKey.key));
}

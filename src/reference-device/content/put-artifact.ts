import { artifactPlace } from '../../wire';
import type { ArtifactRecord, Data, SessionRecord } from '../api-records';
import { publicPart } from '../keys';
import { sealContent, type Content } from './content';
import { generateDataKey, type SealedDataKey } from './data-key';
import type { DeviceContent } from './device-content';

/**
 * Keeps an artifact under a tag, or replaces what is kept there (device-api.md, Sync).
 * @param session under whose data key it is kept, so that its grants cover it; without one it has a key of its own
 * @throws Error where the tag is kept with another media type; ApiError 409 `conflict` when another device replaces it at the same time, 403 `plan_limit_exceeded`
 */
export async function putArtifact(
  content: DeviceContent,
  tag: string,
  what: Content,
  session?: SessionRecord,
): Promise<ArtifactRecord> {
  const { device, accountId } = content;
  const { kid, sealed } = session ? session.dataKey : await newDataKey(content);
  const sealFor = async (dataKey: SealedDataKey, version: number) =>
    sealContent(what, await content.dataKeyOf({ tag, dataKey }), artifactPlace(accountId, tag, version));

  const first = await sealFor({ kid, sealed }, 1);
  const { mediaType } = what;
  const body = { tag, sessionId: session?.id, mediaType, dataKey: { kid, sealed }, content: first };
  const { data: kept } = await device.call<Data<ArtifactRecord>>('POST', '/v1/artifacts', body);
  if (kept.content === first) return kept;
  if (kept.mediaType !== mediaType)
    throw new Error(`"${tag}" is kept as ${kept.mediaType}, and its replacement has to be of that type too.`);

  const replacement = {
    content: await sealFor(kept.dataKey, kept.version + 1),
    expectedVersion: kept.version,
  };
  const path = `/v1/artifacts/${encodeURIComponent(kept.id)}/content`;
  return (await device.call<Data<ArtifactRecord>>('PUT', path, replacement)).data;
}

async function newDataKey({ device }: DeviceContent): Promise<SealedDataKey> {
  const { contentKey } = device.state;
  if (!contentKey) throw new Error('A machine keeps artifacts in a session that it hosts: name one with --session.');
  return generateDataKey(publicPart(contentKey.key));
}

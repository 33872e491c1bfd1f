import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import { DataKeyDto } from '../sessions';
import type { RowOf } from '../../core/database';
import type { ArtifactEntity } from './artifact.entity';
import { EventData } from '../../core/events';

/** A row of `artifacts` without its content. */
export type ArtifactRow = RowOf<Omit<ArtifactEntity, 'content'>>;

/** Artifact as returned by the External API (docs/protocol/external-api.md#records). */
@EventData()
export class ArtifactDto {
  @IdField('art')
  id!: string;

  @ObjectTypeField('artifact')
  object!: 'artifact';

  /** Session that produced the artifact, if any. */
  @IdField('ses')
  sessionId!: string | null;

  /**
   * Name given by its device, unique within the account.
   * @example coverage-report
   */
  tag!: string;

  /**
   * Media type of the plaintext, as declared by its device.
   * @example text/html
   */
  mediaType!: string;

  /** Version of the content, from 1. */
  @CountField(3, 1)
  version!: number;

  /** Size of the ciphertext in bytes. */
  @CountField(48213)
  sizeBytes!: number;

  /**
   * Id of the data key that encrypts the content.
   * @example k1
   */
  keyId!: string;

  /**
   * Whether a key grant currently allows this caller to read the content.
   * @example false
   */
  contentGranted!: boolean;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  updatedAt!: number;
}

/** Artifact with the fields that only the account's devices see. */
export class DeviceArtifactDto extends ArtifactDto {
  /**
   * Compact JWE.
   * @example eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…
   */
  content!: string;

  dataKey!: DataKeyDto;

  /** Device that created the artifact. */
  @IdField('dev')
  hostDeviceId!: string | null;
}

export function toArtifactDto(row: ArtifactRow, contentGranted: boolean): ArtifactDto {
  return {
    id: row.id,
    object: 'artifact',
    sessionId: row.session_id,
    tag: row.tag,
    mediaType: row.media_type,
    version: row.version,
    sizeBytes: row.size_bytes,
    keyId: row.data_key_id,
    contentGranted,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}

/** `contentGranted` is always false here: devices have the account's keys and need no grant. */
export function toDeviceArtifactDto(row: ArtifactRow & { content: string }): DeviceArtifactDto {
  return {
    ...toArtifactDto(row, false),
    content: row.content,
    dataKey: { kid: row.data_key_id, sealed: row.sealed_data_key },
    hostDeviceId: row.host_device_id,
  };
}

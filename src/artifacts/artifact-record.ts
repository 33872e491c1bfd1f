import { CountField, IdField, ObjectField, TimeField } from '../common/http';

/** A row of `artifacts` as lists read it: without its content. */
export interface ArtifactRow {
  id: string;
  account_id: string;
  session_id: string | null;
  host_device_id: string | null;
  tag: string;
  media_type: string;
  data_key_id: string;
  sealed_data_key: string;
  version: number;
  size_bytes: number;
  created_at: Date;
  updated_at: Date;
}

/** The artifact as the External API shows it (external-api.md §3, Records). */
export class ArtifactRecord {
  @IdField('art')
  id!: string;

  @ObjectField('artifact')
  object!: 'artifact';

  /** The session that it came from, if any. */
  @IdField('ses')
  sessionId!: string | null;

  /**
   * The name that its device gave it.
   * @example coverage-report
   */
  tag!: string;

  /**
   * Of the plaintext, as its device declared it.
   * @example text/html
   */
  mediaType!: string;

  /** Counts replacements of its content, from 1. */
  @CountField(3, 1)
  version!: number;

  /** Size of the ciphertext. */
  @CountField(48213)
  sizeBytes!: number;

  /**
   * The data key that its content is encrypted with.
   * @example k1
   */
  keyId!: string;

  /**
   * Whether this caller could read content now.
   * @example false
   */
  contentGranted!: boolean;

  @TimeField()
  createdAt!: number;

  @TimeField()
  updatedAt!: number;
}

/** What the account's devices read back beyond that. */
export interface DeviceArtifactRecord extends ArtifactRecord {
  content: string;
  dataKey: { kid: string; sealed: string };
  hostDeviceId: string | null;
}

export function toArtifactRecord(row: ArtifactRow, contentGranted: boolean): ArtifactRecord {
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

/** A device holds the account's keys itself, so no grant decides what it can read: `contentGranted` is false. */
export function toDeviceArtifactRecord(row: ArtifactRow & { content: string }): DeviceArtifactRecord {
  return {
    ...toArtifactRecord(row, false),
    content: row.content,
    dataKey: { kid: row.data_key_id, sealed: row.sealed_data_key },
    hostDeviceId: row.host_device_id,
  };
}

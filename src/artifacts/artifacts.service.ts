import { Injectable } from '@nestjs/common';
import { deviceReach, type DevicePrincipal, type TokenPrincipal } from '../auth';
import { notFound } from '../common/errors';
import { mapPage, type Page } from '../common/pages';
import { artifactPlace, type ContentPlace } from '../wire';
import { ArtifactAccess } from './artifact-access';
import {
  toArtifactRecord,
  toDeviceArtifactRecord,
  type ArtifactRecord,
  type DeviceArtifactRecord,
} from './artifact-record';
import type { ArtifactQuery } from './artifacts.dto';
import { ArtifactsRepository, type ArtifactKey } from './artifacts.repository';
import { HostedArtifacts } from './hosted-artifacts';

/** An artifact's content as it is stored, and where it belongs. */
export interface ArtifactCiphertext {
  content: string;
  keyId: string;
  place: ContentPlace;
}

@Injectable()
export class ArtifactsService {
  constructor(
    private readonly artifacts: ArtifactsRepository,
    private readonly hosted: HostedArtifacts,
    private readonly access: ArtifactAccess,
  ) {}

  async list(caller: TokenPrincipal, query: ArtifactQuery): Promise<Page<ArtifactRecord>> {
    const page = await this.artifacts.page(caller.accountId, query);
    const readable = await this.access.readableArtifacts(
      caller,
      page.data.map((row) => row.id),
    );
    return mapPage(page, (row) => toArtifactRecord(row, readable.has(row.id)));
  }

  /** @throws ApiError 404 */
  async get(caller: TokenPrincipal, id: string): Promise<ArtifactRecord> {
    const row = await this.artifacts.find(caller.accountId, id);
    if (!row) throw notFound('artifact');
    const readable = await this.access.readableArtifacts(caller, [id]);
    return toArtifactRecord(row, readable.has(id));
  }

  /** @throws ApiError 404 */
  async keyOf(accountId: string, id: string): Promise<ArtifactKey> {
    const key = await this.artifacts.findKey(accountId, id);
    if (!key) throw notFound('artifact');
    return key;
  }

  /** @throws ApiError 404 */
  async ciphertextOf(accountId: string, id: string): Promise<ArtifactCiphertext> {
    const row = await this.artifacts.findWithContent(accountId, id);
    if (!row) throw notFound('artifact');
    const { content, data_key_id: keyId, tag, version } = row;
    return { content, keyId, place: artifactPlace(accountId, tag, version) };
  }

  /** A machine device reads back the artifacts that it hosts, an account device all. */
  async listForDevice(device: DevicePrincipal, query: ArtifactQuery): Promise<Page<DeviceArtifactRecord>> {
    const all = deviceReach(device.deviceKind, 'artifacts.read') === 'any';
    const host = all ? null : device.deviceId;
    return mapPage(await this.artifacts.pageWithContent(device.accountId, host, query), toDeviceArtifactRecord);
  }

  /** @throws ApiError 404, 403 */
  async getForDevice(device: DevicePrincipal, id: string): Promise<DeviceArtifactRecord> {
    return toDeviceArtifactRecord(await this.hosted.find(device, id));
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { buildArtifactBinding } from '@external-api/protocol';
import { AccountExporter } from '../accounts';
import { getAccessLevel, type DevicePrincipal, type Principal } from '../../access/auth';
import { notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import type { StoredCiphertext } from '../sessions';
import { ArtifactContentPolicy } from './artifact-content-policy';
import { toArtifactDto, toDeviceArtifactDto, type ArtifactDto, type DeviceArtifactDto } from './artifact.response.dto';
import type { ListArtifactsQueryDto } from './artifacts.dto';
import { ArtifactsRepository, type ArtifactKeyOrigin } from './artifacts.repository';
import { ArtifactAuthorizer } from './artifact-authorizer';

@Injectable()
export class ArtifactsService implements OnModuleInit {
  constructor(
    private readonly artifacts: ArtifactsRepository,
    private readonly artifactAuthorizer: ArtifactAuthorizer,
    private readonly contentPolicy: ArtifactContentPolicy,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'artifacts',
      scanRows: (accountId) => this.artifacts.scanByAccount(accountId),
      toRecord: toDeviceArtifactDto,
    });
  }

  async listArtifacts(caller: Principal, query: ListArtifactsQueryDto): Promise<Page<ArtifactDto>> {
    const page = await this.artifacts.findPage(caller.accountId, query);
    const artifactIds = page.data.map((row) => row.id);
    const readableIds = await this.findReadableIds(caller, artifactIds);
    return mapPage(page, (row) => toArtifactDto(row, readableIds.has(row.id)));
  }

  /** @throws ApiError 404 */
  async getArtifact(caller: Principal, id: string): Promise<ArtifactDto> {
    const row = await this.artifacts.find(caller.accountId, id);
    if (!row) throw notFoundError('artifact');
    const readableIds = await this.findReadableIds(caller, [id]);
    return toArtifactDto(row, readableIds.has(id));
  }

  /** @throws ApiError 404 */
  async getKeyOrigin(accountId: string, id: string): Promise<ArtifactKeyOrigin> {
    const keyOrigin = await this.artifacts.findKeyOrigin(accountId, id);
    if (!keyOrigin) throw notFoundError('artifact');
    return keyOrigin;
  }

  /** @throws ApiError 404 */
  async getCiphertext(accountId: string, id: string): Promise<StoredCiphertext> {
    const row = await this.artifacts.findWithContent(accountId, id);
    if (!row) throw notFoundError('artifact');
    const { content, data_key_id: keyId, tag, version } = row;
    return { content, keyId, place: buildArtifactBinding(accountId, tag, version) };
  }

  /** Lists artifacts. A machine device gets those it hosts, an account device all. */
  async listArtifactsForDevice(
    device: DevicePrincipal,
    query: ListArtifactsQueryDto,
  ): Promise<Page<DeviceArtifactDto>> {
    const canReadAll = getAccessLevel(device.deviceKind, 'artifacts.read') === 'any';
    const hostDeviceId = canReadAll ? null : device.deviceId;
    return mapPage(
      await this.artifacts.findPageWithContent(device.accountId, hostDeviceId, query),
      toDeviceArtifactDto,
    );
  }

  /** @throws ApiError 404, 403 */
  async getArtifactForDevice(device: DevicePrincipal, id: string): Promise<DeviceArtifactDto> {
    return toDeviceArtifactDto(await this.artifactAuthorizer.getArtifactWithContent(device, id));
  }

  /** Returns the artifacts that a key grant lets a token read. Devices need no grant. */
  private async findReadableIds(caller: Principal, artifactIds: readonly string[]): Promise<ReadonlySet<string>> {
    return caller.kind === 'token' ? this.contentPolicy.findReadableArtifactIds(caller, artifactIds) : new Set();
  }
}

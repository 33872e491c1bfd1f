import { Injectable } from '@nestjs/common';
import { deviceReach, type DevicePrincipal } from '../auth';
import { forbidden, notFound } from '../common/errors';
import type { ArtifactRow } from './artifact-record';
import { ArtifactsRepository, type ArtifactRowWithContent } from './artifacts.repository';

/** Artifacts that a device may read back and change: a machine device those that it hosts. */
@Injectable()
export class HostedArtifacts {
  constructor(private readonly artifacts: ArtifactsRepository) {}

  /** Locked until the transaction ends. @throws ApiError 404, 403 for one that the machine does not host */
  async lock(device: DevicePrincipal, id: string): Promise<ArtifactRow> {
    return allow(device, await this.artifacts.lock(device.accountId, id));
  }

  /** With its ciphertext. @throws ApiError as `lock` */
  async find(device: DevicePrincipal, id: string): Promise<ArtifactRowWithContent> {
    return allow(device, await this.artifacts.findWithContent(device.accountId, id));
  }

  /** Without it. @throws ApiError as `lock` */
  async findMetadata(device: DevicePrincipal, id: string): Promise<ArtifactRow> {
    return allow(device, await this.artifacts.find(device.accountId, id));
  }
}

function allow<Row extends ArtifactRow>(device: DevicePrincipal, row: Row | undefined): Row {
  if (!row) throw notFound('artifact');
  const any = deviceReach(device.deviceKind, 'artifacts.write') === 'any';
  if (any || row.host_device_id === device.deviceId) return row;
  throw forbidden('A machine device works only with the artifacts that it hosts.');
}

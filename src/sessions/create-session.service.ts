import { Injectable } from '@nestjs/common';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { ApiError, forbidden, invalidRequest, type RequestFault } from '../common/errors';
import { newId } from '../common/ids';
import { Changes } from '../events';
import { MachinesService } from '../machines';
import { UnitOfWork } from '../persistence';
import { contentFault, metadataPlace, sealedKeyFault } from '../wire';
import { toDeviceSessionRecord, toSessionRecord, type DeviceSessionRecord, type SessionRow } from './session-record';
import type { CreateSessionDto } from './sessions.dto';
import { SessionsRepository } from './sessions.repository';

/** A device opens a session; only creation sets its host. */
@Injectable()
export class CreateSessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsRepository,
    private readonly machines: MachinesService,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /**
   * A repeat by the host or an account device returns the standing session.
   * @throws ApiError 400 for a JWE out of form or place, 404 for an unknown machine, 403 for another's,
   *   409 for a tag that another machine uses
   */
  create(
    device: DevicePrincipal,
    request: CreateSessionDto,
  ): Promise<{ session: DeviceSessionRecord; created: boolean }> {
    const faults = jweFaults(device.accountId, request);
    if (faults.length > 0) throw invalidRequest(faults);
    return this.unitOfWork.run(async () => {
      if (request.machineId) await this.requireMachine(device, request.machineId);
      const inserted = await this.sessions.insert({
        id: newId('ses'),
        accountId: device.accountId,
        tag: request.tag,
        hostDeviceId: device.deviceId,
        machineId: request.machineId ?? null,
        dataKeyId: request.dataKey.kid,
        sealedDataKey: request.dataKey.sealed,
        metadata: request.metadata ?? null,
        createdAt: this.clock.date(),
      });
      if (inserted) {
        this.changes.record({
          type: 'session.created',
          accountId: inserted.account_id,
          id: inserted.id,
          byDeviceId: device.deviceId,
          data: toSessionRecord(inserted, false),
        });
      }
      const row = inserted ?? (await this.standing(device, request.tag));
      return { session: toDeviceSessionRecord(row), created: inserted !== undefined };
    });
  }

  private async requireMachine(device: DevicePrincipal, machineId: string): Promise<void> {
    const owner = await this.machines.deviceOf(device.accountId, machineId);
    if (device.deviceKind === 'machine' && owner !== device.deviceId) {
      throw forbidden('A machine device names no machine but its own.');
    }
  }

  private async standing(device: DevicePrincipal, tag: string): Promise<SessionRow> {
    const row = await this.sessions.findByTag(device.accountId, tag);
    const foreign = device.deviceKind === 'machine' && row?.host_device_id !== device.deviceId;
    if (!row || foreign) throw new ApiError('conflict', `Another device uses the tag "${tag}".`);
    return row;
  }
}

function jweFaults(accountId: string, { tag, dataKey, metadata }: CreateSessionDto): RequestFault[] {
  const found: [path: string, fault: string | null][] = [
    ['/dataKey/sealed', sealedKeyFault(dataKey.sealed)],
    ['/metadata', metadata ? contentFault(metadata, dataKey.kid, metadataPlace(accountId, tag, 1)) : null],
  ];
  return found.flatMap(([path, fault]) =>
    fault ? [{ in: 'body' as const, path, code: 'invalid_jwe', message: `${path} ${fault}.` }] : [],
  );
}

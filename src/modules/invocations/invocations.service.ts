import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { InvocationState } from '@external-api/protocol';
import type { DevicePrincipal, Principal } from '../../access/auth';
import { forbiddenError, notFoundError } from '../../common/errors';
import { mapPage, type Page } from '../../common/pages';
import { ChangeWaitsService, type ChangeQueryDto, type WaitedRecords } from '../../core/waits';
import { AccountExporter } from '../accounts';
import { MachinesService } from '../machines';
import { toInvocationDto, type InvocationDto, type InvocationRow } from './invocation.response.dto';
import { isInvocationAnswerDue } from './invocation-transitions';
import type { ListInvocationsQueryDto } from './invocations.dto';
import { InvocationsRepository } from './invocations.repository';

/** Reads invocations for callers, devices and exports, and lets callers wait for a change. */
@Injectable()
export class InvocationsService implements OnModuleInit {
  private readonly waitedInvocations: WaitedRecords = {
    metric: { name: 'invocation_waits', help: 'Calls of this instance that wait for an invocation' },
    readProgress: (ids) => this.invocations.findProgress(ids),
    isAnswerDue: isInvocationAnswerDue,
  };

  constructor(
    private readonly invocations: InvocationsRepository,
    private readonly machines: MachinesService,
    private readonly changeWaitsService: ChangeWaitsService,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.changeWaitsService.registerRecords(this.waitedInvocations);
    this.accountExporter.registerSection({
      name: 'invocations',
      scanRows: (accountId) => this.invocations.scanByAccount(accountId),
      toRecord: toInvocationDto,
    });
  }

  /** @throws ApiError 404 */
  async requireInvocation(accountId: string, machineId: string, id: string): Promise<InvocationRow> {
    const row = await this.invocations.find(accountId, machineId, id);
    if (!row) throw notFoundError('invocation');
    return row;
  }

  /**
   * Returns the invocation, after a change if the caller waits (docs/protocol/invocations.md#wait-for-the-end).
   * @throws ApiError 404, 429 `too_many_waits`
   */
  async getInvocation(
    { accountId }: Principal,
    machineId: string,
    id: string,
    query: ChangeQueryDto,
    disconnectSignal: AbortSignal,
  ): Promise<InvocationDto> {
    const invocation = { accountId, records: this.waitedInvocations, key: id };
    const read = () => this.requireInvocation(accountId, machineId, id);
    return toInvocationDto(await this.changeWaitsService.readAfterChange(invocation, query, read, disconnectSignal));
  }

  /** Returns the states of invocations by their id, without those that no longer exist. */
  async findStates(ids: readonly string[]): Promise<ReadonlyMap<string, InvocationState>> {
    const progress = await this.invocations.findProgress(ids);
    return new Map([...progress].map(([id, { state }]) => [id, state]));
  }

  /** @throws ApiError 404 */
  async listInvocations(
    { accountId }: Principal,
    machineId: string,
    query: ListInvocationsQueryDto,
  ): Promise<Page<InvocationDto>> {
    await this.machines.getDeviceId(accountId, machineId);
    return mapPage(await this.invocations.findPage(machineId, query), toInvocationDto);
  }

  /** Lists invocations for the device of the machine. @throws ApiError 404, 403 for the machine of another device */
  async listInvocationsForDevice(
    device: DevicePrincipal,
    machineId: string,
    query: ListInvocationsQueryDto,
  ): Promise<Page<InvocationDto>> {
    if ((await this.machines.getDeviceId(device.accountId, machineId)) !== device.deviceId) {
      throw forbiddenError('Only the device of the machine can list its invocations.');
    }
    return mapPage(await this.invocations.findPage(machineId, query), toInvocationDto);
  }
}

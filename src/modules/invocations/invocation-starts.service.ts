import { Injectable } from '@nestjs/common';
import {
  computeInvocationId,
  INVOCATION_ERROR_CODES,
  isFinalInvocationState,
  type DeviceError,
  type InvocationErrorCode,
  type InvocationReport,
} from '@external-api/protocol';
import { Clock } from '../../common/clock';
import { validateInput } from '../../common/http';
import { UnitOfWork } from '../../core/database';
import { MachinesService } from '../machines';
import { InvocationChangePublisher } from './invocation-change-publisher';
import { findInvocationReportViolations } from './invocation-report-rules';
import { toInvocationDto, type InvocationDto, type InvocationRow } from './invocation.response.dto';
import { InvocationReportDto, toInvocationReport } from './invocations.dto';
import { InvocationsRepository } from './invocations.repository';
import { ReportInvocationService } from './report-invocation.service';

/** Stores what is known about an invocation from the call that starts it (docs/protocol/invocations.md#start). */
@Injectable()
export class InvocationStartsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly machines: MachinesService,
    private readonly invocations: InvocationsRepository,
    private readonly reportInvocationService: ReportInvocationService,
    private readonly changePublisher: InvocationChangePublisher,
    private readonly clock: Clock,
  ) {}

  /** Stores an invocation that is about to be sent to the device of the machine. @throws ApiError 404 */
  async createInvocation(accountId: string, machineId: string, requestId: string): Promise<void> {
    const now = this.clock.currentDate();
    await this.invocations.insert({
      id: computeInvocationId(requestId),
      accountId,
      machineId,
      deviceId: await this.machines.getDeviceId(accountId, machineId),
      revision: 0,
      version: 1,
      state: 'starting',
      errorCode: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      stdoutBytes: '0',
      stderrBytes: '0',
      createdAt: now,
      startedAt: null,
      endedAt: null,
      updatedAt: now,
    });
  }

  /** Deletes an invocation that did not reach the device, or that the device was too busy for. */
  async discardInvocation(requestId: string): Promise<void> {
    const id = computeInvocationId(requestId);
    await this.unitOfWork.runInTransaction(async () => {
      await this.invocations.deleteUnreported(id);
      this.changePublisher.signalChange(id);
    });
  }

  /**
   * Stores the report in the answer of a device that has started the command. The device's own report may have arrived
   * first.
   * @returns the invocation as it is then; undefined if it was deleted meanwhile
   */
  async recordStart(requestId: string, result: object): Promise<InvocationDto | undefined> {
    const report = await parseReport(result);
    return this.changeInvocation(requestId, (stored) =>
      report ? this.reportInvocationService.storeReport(stored, report) : Promise.resolve(stored),
    );
  }

  /** Ends an invocation whose device has answered that it did not start the command. */
  async recordRefusal(requestId: string, { code }: DeviceError): Promise<void> {
    await this.changeInvocation(requestId, async (stored) => {
      if (isFinalInvocationState(stored.state)) return stored;
      const now = this.clock.currentDate();
      const end = code === 'cancelled' ? { state: 'cancelled' as const } : toFailure(code);
      const next = { ...stored, ...end, version: stored.version + 1, ended_at: now, updated_at: now };
      await this.invocations.update(next);
      this.changePublisher.publishChange(stored.state, next, stored.device_id);
      return next;
    });
  }

  private changeInvocation(
    requestId: string,
    change: (stored: InvocationRow) => Promise<InvocationRow>,
  ): Promise<InvocationDto | undefined> {
    return this.unitOfWork.runInTransaction(async () => {
      const stored = await this.invocations.lock(computeInvocationId(requestId));
      return stored && toInvocationDto(await change(stored));
    });
  }
}

/** Returns undefined if the result is not a report. The device reports the state by itself, too. */
async function parseReport(result: object): Promise<InvocationReport | undefined> {
  const { value, violations } = await validateInput('body', InvocationReportDto, result);
  if (violations.length > 0) return undefined;
  const report = toInvocationReport(value as InvocationReportDto);
  return findInvocationReportViolations(report).length === 0 ? report : undefined;
}

function toFailure(code: string): Pick<InvocationRow, 'state' | 'error_code'> {
  const isKnown = INVOCATION_ERROR_CODES.some((known) => known === code);
  return { state: 'failed', error_code: isKnown ? (code as InvocationErrorCode) : 'internal' };
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { computeInvocationId, isFinalInvocationState, type InvocationReport } from '@external-api/protocol';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { forbiddenError, invalidRequestError, notFoundError } from '../../common/errors';
import { isWellFormedId } from '../../common/ids';
import { UnitOfWork } from '../../core/database';
import { DeviceLossService } from '../devices';
import { MachinesService } from '../machines';
import { InvocationChangePublisher } from './invocation-change-publisher';
import { findInvocationReportViolations } from './invocation-report-rules';
import { toInvocationDto, type InvocationDto, type InvocationRow } from './invocation.response.dto';
import { InvocationsRepository } from './invocations.repository';

/**
 * Stores the reports of devices about their invocations, and the loss of those that their device no longer reports
 * (docs/protocol/invocations.md#reports).
 */
@Injectable()
export class ReportInvocationService implements OnModuleInit {
  constructor(
    private readonly deviceLossService: DeviceLossService,
    private readonly unitOfWork: UnitOfWork,
    private readonly machines: MachinesService,
    private readonly invocations: InvocationsRepository,
    private readonly changePublisher: InvocationChangePublisher,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.deviceLossService.registerRecords<string>({
      name: 'invocation loss',
      findAbandoned: (cutoff, limit) => this.invocations.findAbandoned(cutoff, limit),
      recordLoss: (id, cutoff) => this.recordLoss(id, cutoff),
    });
  }

  /**
   * Stores a report. One that is not newer than the stored one, or that follows a final state, changes nothing.
   * @param requestId id of the relayed call that began the invocation
   * @throws ApiError 400 for members that don't fit together, 404 for an unknown machine or invocation, 403 for the
   *   machine of another device
   */
  async reportInvocation(
    device: DevicePrincipal,
    machineId: string,
    requestId: string,
    report: InvocationReport,
  ): Promise<InvocationDto> {
    const violations = findInvocationReportViolations(report);
    if (violations.length > 0) throw invalidRequestError(violations);
    if ((await this.machines.getDeviceId(device.accountId, machineId)) !== device.deviceId) {
      throw forbiddenError('Only the device of the machine can report its invocations.');
    }
    if (!isWellFormedId('req', requestId)) throw notFoundError('invocation');
    return this.unitOfWork.runInTransaction(async () => {
      const stored = await this.invocations.lock(computeInvocationId(requestId));
      if (!stored || stored.machine_id !== machineId) throw notFoundError('invocation');
      return toInvocationDto(await this.storeReport(stored, report));
    });
  }

  /**
   * Stores a valid report if it may replace the stored state. Requires a transaction with the row's lock.
   * @returns the row as it is then
   */
  async storeReport(stored: InvocationRow, report: InvocationReport): Promise<InvocationRow> {
    if (report.revision <= stored.revision || isFinalInvocationState(stored.state)) return stored;
    const next = applyReport(stored, report, this.clock.currentDate());
    await this.invocations.update(next);
    this.changePublisher.publishChange(stored.state, next, stored.device_id);
    return next;
  }

  /** The row's lock and a second check decide which instance writes. */
  private recordLoss(id: string, cutoff: Date): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.invocations.lock(id);
      if (!row || !(await this.invocations.isAbandoned(id, cutoff))) return;
      const now = this.clock.currentDate();
      const next = { ...row, state: 'lost' as const, version: row.version + 1, updated_at: now };
      await this.invocations.update(next);
      this.changePublisher.publishChange(row.state, next, null);
    });
  }
}

function applyReport(row: InvocationRow, report: InvocationReport, now: Date): InvocationRow {
  return {
    ...row,
    revision: report.revision,
    version: row.version + 1,
    state: report.state,
    error_code: report.errorCode,
    exit_code: report.exitCode,
    signal: report.signal,
    timed_out: report.timedOut,
    stdout_bytes: String(report.stdoutBytes),
    stderr_bytes: String(report.stderrBytes),
    started_at: report.startedAt === null ? null : new Date(report.startedAt),
    ended_at: report.endedAt === null ? null : new Date(report.endedAt),
    updated_at: now,
  };
}

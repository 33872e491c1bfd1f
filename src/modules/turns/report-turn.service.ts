import { Injectable } from '@nestjs/common';
import { StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, forbiddenError, invalidRequestError, notFoundError } from '../../common/errors';
import { isWellFormedId } from '../../common/ids';
import { UnitOfWork } from '../../core/database';
import { computeTurnId, type TurnReport } from '../../protocol';
import { SessionActivityRecorder, SessionAuthorizer } from '../sessions';
import { findTurnReportViolations } from './turn-report-rules';
import { toTurnDto, type TurnDto, type TurnRow } from './turn.response.dto';
import { isTransitionAllowed } from './turn-transitions';
import { TurnChangePublisher } from './turn-change-publisher';
import { TurnsRepository } from './turns.repository';

/** Bytes charged to the account's storage for a turn. The session's deletion releases them. */
const TURN_ROW_BYTES = 512;

/** Stores the reports of devices about their turns (docs/protocol/agents.md#reports). */
@Injectable()
export class ReportTurnService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly storageQuota: StorageQuota,
    private readonly turns: TurnsRepository,
    private readonly turnChangePublisher: TurnChangePublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a report. One that is not newer than the stored one, or whose state may not follow the stored state,
   * changes nothing.
   * @param requestId id of the relayed call that began the turn
   * @throws ApiError 400 for members that don't fit together, 404 for an unknown session or a malformed id, 403 for a
   *   session of another host or a turn of another device, 409 `conflict` for a turn of another session, 403
   *   `plan_limit_exceeded`
   */
  reportTurn(
    device: DevicePrincipal,
    sessionId: string,
    requestId: string,
    report: TurnReport,
  ): Promise<{ turn: TurnDto; created: boolean }> {
    const violations = findTurnReportViolations(report);
    if (violations.length > 0) throw invalidRequestError(violations);
    if (!isWellFormedId('req', requestId)) throw notFoundError('relayed call');
    return this.unitOfWork.runInTransaction(async () => {
      // The session's lock serializes reports, so that the activity is derived from all of them.
      const session = await this.sessionAuthorizer.lockSession(device, sessionId);
      const id = computeTurnId(requestId);
      const stored = await this.turns.find(device.accountId, sessionId, id);
      if (stored && stored.device_id !== device.deviceId) {
        throw forbiddenError('Only the device that reported the turn first can report it.');
      }
      if (stored && !isReportAccepted(stored, report)) return { turn: toTurnDto(stored), created: false };
      const now = this.clock.currentDate();
      const next = applyReport(stored ?? createRow(device, sessionId, id, now), report, now);
      if (stored) await this.turns.update(next);
      else await this.insertTurn(next);
      await this.turnChangePublisher.publishChange(stored?.state ?? null, next, {
        byDeviceId: device.deviceId,
        hostDeviceId: session.host_device_id,
      });
      return { turn: toTurnDto(next), created: !stored };
    });
  }

  private async insertTurn(row: TurnRow): Promise<void> {
    await this.storageQuota.requireCapacity(row.account_id, TURN_ROW_BYTES);
    if (!(await this.turns.insert(row))) {
      throw new ApiError('conflict', 'The relayed call began a turn of another session.');
    }
    await this.sessionActivityRecorder.recordStoredBytes(row.session_id, TURN_ROW_BYTES);
    await this.storageQuota.addUsage(row.account_id, TURN_ROW_BYTES);
  }
}

function createRow({ accountId, deviceId }: DevicePrincipal, sessionId: string, id: string, now: Date): TurnRow {
  return {
    id,
    account_id: accountId,
    session_id: sessionId,
    device_id: deviceId,
    revision: 0,
    version: 0,
    state: 'queued',
    stop_reason: null,
    error_code: null,
    first_seq: null,
    last_seq: null,
    pending_permissions: 0,
    usage: null,
    created_at: now,
    started_at: null,
    ended_at: null,
    updated_at: now,
  };
}

function applyReport(row: TurnRow, report: TurnReport, now: Date): TurnRow {
  return {
    ...row,
    revision: report.revision,
    version: row.version + 1,
    state: report.state,
    stop_reason: report.stopReason,
    error_code: report.errorCode,
    pending_permissions: report.pendingPermissions,
    usage: report.usage,
    started_at: report.startedAt === null ? null : new Date(report.startedAt),
    ended_at: report.endedAt === null ? null : new Date(report.endedAt),
    updated_at: now,
  };
}

function isReportAccepted(stored: TurnRow, report: TurnReport): boolean {
  return report.revision > stored.revision && isTransitionAllowed(stored.state, report.state);
}

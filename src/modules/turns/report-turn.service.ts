import { Injectable } from '@nestjs/common';
import { computeTurnId, isFinalTurnState, type TurnReport, type TurnState } from '@external-api/protocol';
import { EventQuota, StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, forbiddenError, invalidRequestError, notFoundError } from '../../common/errors';
import { validateInput } from '../../common/http';
import { isWellFormedId } from '../../common/ids';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder, SessionAuthorizer } from '../sessions';
import { findTurnReportViolations } from './turn-report-rules';
import { toTurnReport, TurnReportDto } from './turns.dto';
import { toTurnDto, type TurnDto, type TurnRow } from './turn.response.dto';
import { isTransitionAllowed } from './turn-transitions';
import { TurnChangePublisher } from './turn-change-publisher';
import { TurnsRepository } from './turns.repository';

/** Bytes charged to the account's storage for a turn. The session's deletion releases them. */
const TURN_ROW_BYTES = 512;
/** Revision of a turn before its first report. */
const UNREPORTED_REVISION = 0;

/** A device may report as often as it likes. A newer time of the last activity is stored from this difference on. */
const MIN_ACTIVITY_STEP_MS = 5_000;

/** Stores the reports of devices about their turns (docs/protocol/agents.md#reports). */
@Injectable()
export class ReportTurnService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly eventQuota: EventQuota,
    private readonly storageQuota: StorageQuota,
    private readonly turns: TurnsRepository,
    private readonly turnChangePublisher: TurnChangePublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a report. One that is not newer than the stored one, or whose state may not follow the stored state,
   * changes nothing, except that the stored one may be repeated with a newer time of the last activity.
   * @param requestId id of the relayed call that began the turn, or the device's own for a turn that its agent began
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
      const now = this.clock.currentDate();
      if (stored && !isReportAccepted(stored, report)) {
        const active = applyActivity(stored, report, now);
        if (active !== stored) await this.turns.updateLastActivity(active);
        return { turn: toTurnDto(active), created: false };
      }
      const next = applyReport(stored ?? createRow({ ...device, sessionId }, id, now, report.origin), report, now);
      // A turn must be able to go on and to end. Only this state can be repeated without end.
      if (next.state === 'requires_action') await this.eventQuota.requireCapacity(device.accountId);
      if (stored) await this.turns.update(next);
      else await this.insertTurn(next);
      if (report.context) await this.sessionActivityRecorder.recordContext(session, report.context, now);
      await this.turnChangePublisher.publishChange(stored?.state ?? null, next, {
        byDeviceId: device.deviceId,
        hostDeviceId: session.host_device_id,
      });
      return { turn: toTurnDto(next), created: !stored || isUnreported(stored) };
    });
  }

  /**
   * Stores a turn that its device has named in an answer and not reported yet, so that the caller finds it. Does
   * nothing if the device may not report turns of the session.
   * @param deviceId null if it isn't known: the session's host
   * @param requestId id of the relayed call that began the turn
   * @throws ApiError 409 `conflict` for a turn of another session, 403 `plan_limit_exceeded`
   */
  async recordAnsweredTurn(
    accountId: string,
    sessionId: string,
    requestId: string,
    { deviceId, state }: { deviceId: string | null; state: TurnState },
  ): Promise<void> {
    const id = computeTurnId(requestId);
    if (await this.turns.find(accountId, sessionId, id)) return;
    await this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      const reporterId = deviceId ?? session?.host_device_id;
      if (!session || !reporterId || (await this.turns.find(accountId, sessionId, id))) return;
      const isHost = session.host_device_id === reporterId;
      if (!isHost && !(await this.turns.isAccountDevice(accountId, reporterId))) return;
      const owner = { accountId, deviceId: reporterId, sessionId };
      const row = createAnsweredRow(owner, id, state, this.clock.currentDate());
      await this.insertTurn(row);
      await this.turnChangePublisher.publishChange(null, row, {
        byDeviceId: reporterId,
        hostDeviceId: session.host_device_id,
      });
    });
  }

  /**
   * Stores the end that the device of a turn gave with its answer to a cancellation, since its report has not arrived.
   * Does nothing if there is none, or if the turn has ended.
   * @param answered what the device calls its report
   */
  async recordEnd(accountId: string, sessionId: string, turnId: string, answered: unknown): Promise<void> {
    const report = await parseEndReport(answered);
    if (!report) return;
    await this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      const stored = session && (await this.turns.find(accountId, sessionId, turnId));
      if (!stored || isFinalTurnState(stored.state) || report.revision <= stored.revision) return;
      const devices = { byDeviceId: stored.device_id, hostDeviceId: session.host_device_id };
      if (report.context) {
        await this.sessionActivityRecorder.recordContext(session, report.context, this.clock.currentDate());
      }
      let row = stored;
      for (const step of addMissingStart(stored, report)) {
        const next = applyReport(row, step, this.clock.currentDate());
        await this.turns.update(next);
        await this.turnChangePublisher.publishChange(row.state, next, devices);
        row = next;
      }
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

type TurnOwner = Pick<DevicePrincipal, 'accountId' | 'deviceId'> & { sessionId: string };

function createRow(
  { accountId, deviceId, sessionId }: TurnOwner,
  id: string,
  now: Date,
  origin: TurnReport['origin'] = 'message',
): TurnRow {
  return {
    id,
    account_id: accountId,
    session_id: sessionId,
    device_id: deviceId,
    origin,
    revision: UNREPORTED_REVISION,
    version: 0,
    state: 'queued',
    stop_reason: null,
    error_code: null,
    first_seq: null,
    last_seq: null,
    pending_permissions: 0,
    usage: null,
    cost: null,
    created_at: now,
    started_at: null,
    last_activity_at: null,
    ended_at: null,
    updated_at: now,
  };
}

/** Returns what an answer tells about a turn. Its end has details that only the device's report has. */
function createAnsweredRow(owner: TurnOwner, id: string, state: TurnState, now: Date): TurnRow {
  const row = { ...createRow(owner, id, now), version: 1 };
  const hasRun = state === 'running' || state === 'requires_action' || state === 'completed';
  return hasRun ? { ...row, state: 'running', started_at: now } : row;
}

/** Returns the end of a turn, after its start if the report of that has not arrived either. */
function addMissingStart(stored: TurnRow, end: TurnReport): TurnReport[] {
  if (stored.state !== 'queued' || end.startedAt === null) return [end];
  const open = { stopReason: null, errorCode: null, endedAt: null };
  return [{ ...end, ...open, state: 'running' }, end];
}

function applyReport(row: TurnRow, report: TurnReport, now: Date): TurnRow {
  // A device that has lost a turn reports its end without what it doesn't know any more.
  const known = isFinalTurnState(report.state) ? row : null;
  const startedAt = toDate(report.startedAt) ?? known?.started_at ?? null;
  const endedAt = toDate(report.endedAt);
  return {
    ...row,
    revision: report.revision,
    version: isStateOfAnswer(row, report) ? row.version : row.version + 1,
    state: report.state,
    stop_reason: report.stopReason,
    error_code: report.errorCode,
    pending_permissions: report.pendingPermissions,
    usage: report.usage ?? known?.usage ?? null,
    cost: report.cost ?? known?.cost ?? null,
    started_at: startedAt,
    last_activity_at: findLastActivity(row, report, now),
    ended_at: endedAt && startedAt && endedAt < startedAt ? startedAt : endedAt,
    updated_at: now,
  };
}

/** Returns the row itself if the report brings no newer time, or one that isn't worth a write. */
function applyActivity(row: TurnRow, report: TurnReport, now: Date): TurnRow {
  if (report.revision !== row.revision || report.state !== row.state || isFinalTurnState(row.state)) return row;
  const last = findLastActivity(row, report, now);
  const step = (last?.getTime() ?? 0) - (row.last_activity_at?.getTime() ?? 0);
  return step < MIN_ACTIVITY_STEP_MS ? row : { ...row, last_activity_at: last };
}

/** Returns the later time of both. A device whose clock is ahead has not seen the future. */
function findLastActivity(row: TurnRow, { lastActivityAt = null }: TurnReport, now: Date): Date | null {
  if (lastActivityAt === null) return row.last_activity_at;
  return new Date(Math.max(Math.min(lastActivityAt, now.getTime()), row.last_activity_at?.getTime() ?? 0));
}

const toDate = (time: number | null): Date | null => (time === null ? null : new Date(time));

async function parseEndReport(answered: unknown): Promise<TurnReport | undefined> {
  const { value, violations } = await validateInput('body', TurnReportDto, answered);
  if (violations.length > 0) return undefined;
  const report = toTurnReport(value as TurnReportDto);
  return isFinalTurnState(report.state) && findTurnReportViolations(report).length === 0 ? report : undefined;
}

function isReportAccepted(stored: TurnRow, report: TurnReport): boolean {
  if (report.revision <= stored.revision) return false;
  // The first report may have any state, but the turn has not become older than the answer that named it.
  if (isUnreported(stored)) return report.state !== 'queued' || stored.state !== 'running';
  return isTransitionAllowed(stored.state, report.state);
}

const isUnreported = ({ revision }: TurnRow): boolean => revision === UNREPORTED_REVISION;

/** Whether the first report has the state that the service has stored when the device named the turn in an answer. */
const isStateOfAnswer = (row: TurnRow, report: TurnReport): boolean =>
  isUnreported(row) && row.version > 0 && row.state === report.state;

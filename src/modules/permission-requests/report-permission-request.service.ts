import { Injectable } from '@nestjs/common';
import {
  buildPermissionBinding,
  computeTurnId,
  findContentFormatViolation,
  MAX_PENDING_PERMISSIONS,
  type PermissionRequestReport,
} from '@external-api/protocol';
import { countRowBytes, StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock, DAY } from '../../common/clock';
import {
  ApiError,
  bodyViolation,
  forbiddenError,
  invalidRequestError,
  notFoundError,
  planLimitExceededError,
} from '../../common/errors';
import { generateId } from '../../common/ids';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder, SessionAuthorizer, type SessionRow } from '../sessions';
import { TurnsService } from '../turns';
import { PermissionEventPublisher } from './permission-event-publisher';
import { findPermissionReportViolations, MAX_TIME_TO_EXPIRY_MS } from './permission-report-rules';
import type { PermissionRequestEntity } from './permission-request.entity';
import {
  toPermissionRequestDto,
  type PermissionRequestDto,
  type PermissionRequestRow,
} from './permission-request.response.dto';
import { PermissionRequestsRepository } from './permission-requests.repository';

/** How long the content of a request is stored after the decision, or after its expiry. */
export const CONTENT_RETENTION_MS = 30 * DAY;
/** As in a path: neither empty nor a slash. */
const LOCAL_ID = /^[A-Za-z0-9._~:-]{1,128}$/;

/** Stores the reports of devices about permission requests (docs/protocol/agents.md#reports-of-permission-requests). */
@Injectable()
export class ReportPermissionRequestService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly storageQuota: StorageQuota,
    private readonly turns: TurnsService,
    private readonly permissionRequests: PermissionRequestsRepository,
    private readonly eventPublisher: PermissionEventPublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a report. One that is not newer than the stored one, or about a request that is no longer pending, changes
   * nothing.
   * @param localId id that the device gave the request
   * @throws ApiError 400 for members that don't fit together or content bound to another record, 404 for an unknown
   *   session or turn, 403 for a session of another host or a turn of another device, 409 for a request that differs
   *   from the stored one, 403 `plan_limit_exceeded`
   */
  reportPermissionRequest(
    device: DevicePrincipal,
    sessionId: string,
    localId: string,
    report: PermissionRequestReport,
  ): Promise<{ permissionRequest: PermissionRequestDto; created: boolean }> {
    if (!LOCAL_ID.test(localId)) throw notFoundError('permission request');
    const violations = findPermissionReportViolations(report);
    if (violations.length > 0) throw invalidRequestError(violations);
    return this.unitOfWork.runInTransaction(async () => {
      // The session's lock serializes reports and decisions, so that the first one of a request counts.
      const session = await this.sessionAuthorizer.lockSession(device, sessionId);
      const stored = await this.permissionRequests.findByLocalId(sessionId, localId);
      const row = stored
        ? await this.updateRequest(device, session, stored, report)
        : await this.createRequest(device, session, localId, report);
      return { permissionRequest: toPermissionRequestDto(row, this.clock.currentDate()), created: !stored };
    });
  }

  private async createRequest(
    device: DevicePrincipal,
    session: SessionRow,
    localId: string,
    report: PermissionRequestReport,
  ): Promise<PermissionRequestRow> {
    const now = this.clock.currentDate();
    const turn = await this.turns.findTurn(session.account_id, session.id, computeTurnId(report.turnLocalId));
    if (!turn) throw notFoundError('turn');
    if (turn.device_id !== device.deviceId) throw createForeignTurnError();
    validateContentAndExpiry(session, localId, report, now);
    const isWaiting = report.state === 'pending' && report.expiresAt > now.getTime();
    if (isWaiting && (await this.permissionRequests.countPending(session.id, now)) >= MAX_PENDING_PERMISSIONS) {
      const detail = `A session can have at most ${MAX_PENDING_PERMISSIONS} pending permission requests.`;
      throw planLimitExceededError(detail, MAX_PENDING_PERMISSIONS);
    }
    const entity = createEntity(turn, localId, session.data_key_id, report, now);
    const bytes = countRowBytes(entity.content, JSON.stringify(entity.options), localId, entity.kind);
    await this.storageQuota.requireCapacity(session.account_id, bytes);
    await this.permissionRequests.insert(entity);
    await this.sessionActivityRecorder.recordStoredBytes(session.id, bytes);
    await this.storageQuota.addUsage(session.account_id, bytes);
    const row = (await this.permissionRequests.findByLocalId(session.id, localId))!;
    if (isWaiting || row.state !== 'pending') this.eventPublisher.publishChange(row, session, device.deviceId);
    return row;
  }

  private async updateRequest(
    device: DevicePrincipal,
    session: SessionRow,
    stored: PermissionRequestRow,
    report: PermissionRequestReport,
  ): Promise<PermissionRequestRow> {
    if (stored.device_id !== device.deviceId) throw createForeignTurnError();
    const changedMember = findChangedMember(stored, report);
    if (changedMember) throw new ApiError('conflict', `The ${changedMember} of a permission request can't change.`);
    if (report.revision <= stored.revision) return stored;
    if (stored.state !== 'pending') return this.confirmState(stored, report);
    const next = applyReport(stored, report, this.clock.currentDate());
    await this.permissionRequests.update(next);
    if (next.state !== 'pending') this.eventPublisher.publishChange(next, session, device.deviceId);
    return next;
  }

  /** Takes the revision of a report that confirms the state, such as that of a decision which is stored already. */
  private async confirmState(
    stored: PermissionRequestRow,
    { revision, state }: PermissionRequestReport,
  ): Promise<PermissionRequestRow> {
    if (state !== stored.state) return stored;
    const confirmed = { ...stored, revision };
    await this.permissionRequests.update(confirmed);
    return confirmed;
  }
}

function createForeignTurnError(): ApiError {
  return forbiddenError("Only the turn's device can report its permission requests.");
}

function validateContentAndExpiry(
  session: SessionRow,
  localId: string,
  { content, expiresAt }: PermissionRequestReport,
  now: Date,
): void {
  const place = buildPermissionBinding(session.account_id, session.tag, localId);
  const violation = findContentFormatViolation(content, session.data_key_id, place);
  const violations = [];
  if (violation) violations.push(bodyViolation('/content', 'invalid_jwe', violation));
  if (expiresAt > now.getTime() + MAX_TIME_TO_EXPIRY_MS) {
    violations.push(bodyViolation('/expiresAt', 'out_of_range', 'must be within 24 hours'));
  }
  if (violations.length > 0) throw invalidRequestError(violations);
}

function createEntity(
  turn: { account_id: string; session_id: string; id: string; device_id: string },
  localId: string,
  keyId: string,
  { revision, kind, options, content, expiresAt, state, optionId, decidedAt }: PermissionRequestReport,
  now: Date,
): PermissionRequestEntity {
  return {
    id: generateId('perm'),
    accountId: turn.account_id,
    sessionId: turn.session_id,
    turnId: turn.id,
    deviceId: turn.device_id,
    localId,
    revision,
    kind,
    options: options.map((option) => ({ optionId: option.optionId, kind: option.kind })),
    keyId,
    content,
    sizeBytes: Buffer.byteLength(content),
    deleteContentAt: computeContentDeletion(state === 'pending' ? new Date(expiresAt) : now),
    state,
    optionId,
    decidedBy: null,
    createdAt: now,
    expiresAt: new Date(expiresAt),
    decidedAt: decidedAt === null ? null : new Date(decidedAt),
  };
}

function applyReport(
  row: PermissionRequestRow,
  { revision, state, optionId, decidedAt }: PermissionRequestReport,
  now: Date,
): PermissionRequestRow {
  return {
    ...row,
    revision,
    state,
    option_id: optionId,
    decided_at: decidedAt === null ? null : new Date(decidedAt),
    delete_content_at: state === 'pending' ? row.delete_content_at : computeContentDeletion(now),
  };
}

/** Returns when the content of a request is deleted that was decided, or that expires, at this time. */
export function computeContentDeletion(decidedOrExpiredAt: Date): Date {
  return new Date(decidedOrExpiredAt.getTime() + CONTENT_RETENTION_MS);
}

/** Returns the member that a report changes although people may have been shown it. Deleted content isn't compared. */
function findChangedMember(stored: PermissionRequestRow, report: PermissionRequestReport): string | undefined {
  if (stored.turn_id !== computeTurnId(report.turnLocalId)) return 'turn';
  if (stored.kind !== report.kind) return 'kind';
  if (stored.content !== null && stored.content !== report.content) return 'content';
  if (stored.expires_at.getTime() !== report.expiresAt) return 'expiresAt';
  const isSame =
    stored.options.length === report.options.length &&
    stored.options.every(({ optionId, kind }, i) => {
      const option = report.options[i]!;
      return option.optionId === optionId && option.kind === kind;
    });
  return isSame ? undefined : 'options';
}

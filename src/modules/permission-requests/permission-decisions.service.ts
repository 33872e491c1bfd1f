import { Injectable } from '@nestjs/common';
import {
  computeContentHash,
  getDecidedState,
  type DecidePermissionParams,
  type DecidePermissionResult,
  type PermissionOption,
  type PermissionOptionKind,
} from '@external-api/protocol';
import { AuditRecorder } from '../../access/audit';
import { Clock } from '../../common/clock';
import { invalidRequestError, notFoundError } from '../../common/errors';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder } from '../sessions';
import { PermissionEventPublisher } from './permission-event-publisher';
import type { PermissionDecider } from './permission-request.entity';
import { selectShownState } from './permission-request.response.dto';
import { contentHashConflictError, permissionNotPendingError } from './permission-requests.errors';
import { PermissionRequestsRepository } from './permission-requests.repository';
import { computeContentDeletion } from './report-permission-request.service';

/** What a caller chooses: a kind of option for this one time, or a certain option. */
export type PermissionChoice = { decision: 'allow' | 'reject' } | { optionId: string };

/** Kinds that a decision without `optionId` selects: never one that lasts longer than the request. */
const KIND_OF_DECISION = { allow: 'allow_once', reject: 'reject_once' } as const satisfies Record<
  string,
  PermissionOptionKind
>;

/** Checks decisions of callers, and stores those that the device has executed (docs/protocol/agents.md#decisions). */
@Injectable()
export class PermissionDecisionsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly permissionRequests: PermissionRequestsRepository,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly eventPublisher: PermissionEventPublisher,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns what the device is asked to decide. Whether the request is pending is left to `getPendingDeviceId`, because
   * a repeated call with an Idempotency-Key has to get the response of the first one.
   * @param contentHash hash of what the caller was shown
   * @throws ApiError 404, 409 `conflict` for another hash, 400 without a matching option, 409 `permission_not_pending`
   *   once the content is deleted
   */
  async resolveDecision(
    accountId: string,
    sessionId: string,
    id: string,
    choice: PermissionChoice,
    contentHash: string,
  ): Promise<DecidePermissionParams> {
    const row = await this.permissionRequests.findWithContent(accountId, sessionId, id);
    if (!row) throw notFoundError('permission request');
    if (row.content === null) throw permissionNotPendingError();
    if (computeContentHash(row.content) !== contentHash) throw contentHashConflictError();
    return { localId: row.local_id, optionId: findChosenOption(row.options, choice).optionId, contentHash };
  }

  /** Returns the device of a request's turn. @throws ApiError 404, 409 `permission_not_pending` */
  async getPendingDeviceId(sessionId: string, localId: string): Promise<string> {
    const row = await this.permissionRequests.findByLocalId(sessionId, localId);
    if (!row) throw notFoundError('permission request');
    if (selectShownState(row, this.clock.currentDate()) !== 'pending') throw permissionNotPendingError();
    return row.device_id;
  }

  /**
   * Stores a decision that the device has confirmed, unless its report arrived first: then only who decided. Does
   * nothing if the confirmation doesn't fit the option, since the report of the device counts in any case.
   */
  recordDecision(
    { accountId, sessionId, localId }: { accountId: string; sessionId: string; localId: string },
    { state, optionId }: DecidePermissionResult,
    decidedBy: PermissionDecider,
  ): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      const row = await this.permissionRequests.findByLocalId(sessionId, localId);
      const option = row?.options.find((offered) => offered.optionId === optionId);
      if (!session || !row || !option || state !== getDecidedState(option.kind)) return;
      if (row.state === 'pending') {
        const now = this.clock.currentDate();
        const decision = { state, option_id: optionId, decided_at: now, decided_by: decidedBy };
        const next = { ...row, ...decision, delete_content_at: computeContentDeletion(now) };
        await this.permissionRequests.update(next);
        this.eventPublisher.publishChange(next, session, decidedBy.deviceId);
      } else if (row.state === state && row.option_id === optionId && row.decided_by === null) {
        await this.permissionRequests.update({ ...row, decided_by: decidedBy });
      } else {
        return;
      }
      const act = `permission_request.${state}` as const;
      await this.auditRecorder.recordActs({ act, accountId, targetId: row.id });
    });
  }
}

function findChosenOption(options: PermissionOption[], choice: PermissionChoice): PermissionOption {
  if ('optionId' in choice) {
    const option = options.find(({ optionId }) => optionId === choice.optionId);
    if (option) return option;
    throw createNoOptionError('/optionId', 'must be one of the options');
  }
  const kind = KIND_OF_DECISION[choice.decision];
  const option = options.find((offered) => offered.kind === kind);
  if (option) return option;
  throw createNoOptionError('/decision', `requires an option of the kind ${kind}, which the agent does not offer`);
}

function createNoOptionError(path: string, message: string) {
  return invalidRequestError([{ in: 'body', path, code: 'not_allowed', message: `${path} ${message}.` }]);
}

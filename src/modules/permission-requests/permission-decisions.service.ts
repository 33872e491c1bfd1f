import { Injectable } from '@nestjs/common';
import {
  buildAnswersBinding,
  buildDecisionMessageBinding,
  computeContentHash,
  findContentFormatViolation,
  getDecidedState,
  isQuestion,
  type Answers,
  type ContentBinding,
  type DecidePermissionParams,
  type DecidePermissionResult,
  type DecisionMessageParams,
  type PermissionOption,
  type PermissionOptionKind,
} from '@external-api/protocol';
import { AuditRecorder } from '../../access/audit';
import { Clock } from '../../common/clock';
import { invalidBodyError, notFoundError } from '../../common/errors';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder } from '../sessions';
import { PermissionEventPublisher } from './permission-event-publisher';
import type { PermissionDecider } from './permission-request.entity';
import { selectShownState, type PermissionRequestRow } from './permission-request.response.dto';
import { contentHashConflictError, permissionNotPendingError } from './permission-requests.errors';
import { PermissionRequestsRepository } from './permission-requests.repository';
import { computeContentDeletion } from './report-permission-request.service';

/** Decision on a question. Null declines it. */
export type QuestionAnswer = { answers: Answers | null } | { sealedAnswers: string };
/** What a caller chooses: a kind of option for this one time, a certain option, or answers to a question. */
export type PermissionChoice = { decision: 'allow' | 'reject' } | { optionId: string } | QuestionAnswer;

/** What a caller sends. */
export interface PermissionDecision {
  choice: PermissionChoice;
  /** Hash of what the caller was shown. */
  contentHash: string;
  message: DecisionMessageParams;
}

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
   * @throws ApiError 404, 409 `conflict` for another hash, 400 without a matching option, for a decision of the other
   *   kind and for what is sealed for another place, 409 `permission_not_pending` once the content is deleted
   */
  async resolveDecision(
    accountId: string,
    sessionId: string,
    id: string,
    { choice, contentHash, message }: PermissionDecision,
  ): Promise<DecidePermissionParams> {
    const row = await this.permissionRequests.findWithContent(accountId, sessionId, id);
    if (!row) throw notFoundError('permission request');
    if (row.content === null) throw permissionNotPendingError();
    if (computeContentHash(row.content) !== contentHash) throw contentHashConflictError();
    const decision = { localId: row.local_id, contentHash, ...message };
    if (message.sealedMessage !== undefined)
      validateSealed(row, '/sealedMessage', message.sealedMessage, buildDecisionMessageBinding, contentHash);
    if (isAnswer(choice)) {
      requireQuestion(row, choice);
      if ('sealedAnswers' in choice)
        validateSealed(row, '/sealedAnswers', choice.sealedAnswers, buildAnswersBinding, contentHash);
      return { ...decision, ...choice };
    }
    return { ...decision, optionId: findChosenOption(row, choice).optionId };
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
   * nothing if the confirmation doesn't fit the request, since the report of the device counts in any case.
   */
  recordDecision(
    { accountId, sessionId, localId }: { accountId: string; sessionId: string; localId: string },
    { state, optionId }: DecidePermissionResult,
    decidedBy: PermissionDecider,
  ): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const session = await this.sessionActivityRecorder.lockSession(accountId, sessionId);
      const row = await this.permissionRequests.findByLocalId(sessionId, localId);
      if (!session || !row || !isDecidedState(state) || !canHaveState(row, state, optionId)) return;
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

const isAnswer = (choice: PermissionChoice): choice is QuestionAnswer =>
  'answers' in choice || 'sealedAnswers' in choice;

const isDecidedState = (state: string): state is 'allowed' | 'rejected' => state === 'allowed' || state === 'rejected';

function canHaveState(row: PermissionRequestRow, state: string, optionId: string | null): boolean {
  if (isQuestion(row)) return optionId === null;
  const option = row.options.find((offered) => offered.optionId === optionId);
  return option !== undefined && state === getDecidedState(option.kind);
}

function requireQuestion(row: PermissionRequestRow, choice: QuestionAnswer): void {
  if (isQuestion(row)) return;
  const path = 'sealedAnswers' in choice ? '/sealedAnswers' : choice.answers ? '/answers' : '/decision';
  throw invalidBodyError(path, 'not_allowed', 'is for questions only. This request asks for one of its options');
}

/** The service can't read the text, but sees whether it was meant for this request. */
function validateSealed(
  { account_id: accountId, key_id: keyId, tag }: PermissionRequestRow & { tag: string },
  path: string,
  text: string,
  buildBinding: (accountId: string, tag: string, contentHash: string) => ContentBinding,
  contentHash: string,
): void {
  const violation = findContentFormatViolation(text, keyId, buildBinding(accountId, tag, contentHash));
  if (violation) throw invalidBodyError(path, 'invalid_jwe', violation);
}

function findChosenOption(
  row: PermissionRequestRow,
  choice: Exclude<PermissionChoice, QuestionAnswer>,
): PermissionOption {
  const { options } = row;
  if (isQuestion(row)) {
    const path = 'optionId' in choice ? '/optionId' : '/decision';
    throw invalidBodyError(path, 'not_allowed', 'is not for questions. Send answers, or the decision decline');
  }
  if ('optionId' in choice) {
    const option = options.find(({ optionId }) => optionId === choice.optionId);
    if (option) return option;
    throw invalidBodyError('/optionId', 'not_allowed', 'must be one of the options');
  }
  const kind = KIND_OF_DECISION[choice.decision];
  const option = options.find((offered) => offered.kind === kind);
  if (option) return option;
  const rule = `requires an option of the kind ${kind}, which the agent does not offer`;
  throw invalidBodyError('/decision', 'not_allowed', rule);
}

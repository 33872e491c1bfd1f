import {
  computeContentHash,
  getDecidedState,
  type Answers,
  type PermissionRequestReport,
  type PermissionRequestState,
} from '@external-api/protocol';
import { isAgentQuestion } from '../agent/agent-question';
import type { AgentPermissionOption, AgentPermissionRequest, AgentRequest } from '../agent/agent-session';
import { CommandError } from '../exec/command-error';
import type { ServerClock } from '../machine/server-clock';
import type { Turn } from '../turns/turn';
import { watchExpiry } from './watch-expiry';

export interface PendingPermissionOptions {
  turn: Turn;
  request: AgentRequest;
  /** First report to the service, with the state `pending`. */
  report: PermissionRequestReport;
  clock: ServerClock;
  /** Called once, in the same synchronous step as the answer to the agent. */
  onSettled: (report: PermissionRequestReport) => void;
}

/** A request of the agent that waits for a decision. The first of decision, expiry and cancellation counts. */
export class PendingPermission {
  private currentReport: PermissionRequestReport;
  private readonly stopWatch: () => void;

  constructor(private readonly options: PendingPermissionOptions) {
    this.currentReport = options.report;
    const { clock } = options;
    this.stopWatch = watchExpiry(
      // A step of this computer's clock must not end the request. The next connection brings the service's time.
      () => (clock.isUncertain ? Infinity : this.remainingMs),
      () => this.expireRequest(),
    );
  }

  get turn(): Turn {
    return this.options.turn;
  }

  get report(): PermissionRequestReport {
    return this.currentReport;
  }

  get isPending(): boolean {
    return this.currentReport.state === 'pending';
  }

  /** Returns whether the caller was shown this content. */
  hasContentHash(contentHash: string): boolean {
    return computeContentHash(this.currentReport.content) === contentHash;
  }

  /**
   * Selects an option. Returns false when the request is no longer open, and then changes nothing.
   * @throws CommandError `conflict` without such an option
   */
  selectOption(optionId: string, decidedAt: number): boolean {
    const { request } = this.options;
    const option = request.options.find((offered): offered is AgentPermissionOption => offered.optionId === optionId);
    if (isAgentQuestion(request) || !option) throw new CommandError('conflict', 'The request has no such option.');
    if (!this.isPending || !request.select(optionId)) return false;
    this.settleRequest(getDecidedState(option.kind), optionId, decidedAt);
    return true;
  }

  /**
   * Answers a question, or declines it with null. Returns false when it is no longer open.
   * @throws CommandError `conflict` for a permission request, `invalid_answers`; nothing was changed
   */
  answerQuestion(answers: Answers | null, decidedAt: number): boolean {
    const { request } = this.options;
    if (!isAgentQuestion(request)) throw new CommandError('conflict', 'The request is not a question.');
    const violation = answers && request.findViolation(answers);
    if (violation) throw new CommandError('invalid_answers', `The field "${violation.field}" ${violation.reason}.`);
    if (!this.isPending || !(answers ? request.answer(answers) : request.decline())) return false;
    this.settleRequest(answers ? 'allowed' : 'rejected', null, decidedAt);
    return true;
  }

  /** Rejects a request that has expired, but whose timer is late. */
  expireIfDue(): void {
    if (this.remainingMs <= 0) this.expireRequest();
  }

  /** Rejects the request, because nobody decided in time. */
  expireRequest(): void {
    if (!this.isPending) return;
    rejectRequest(this.options.request);
    this.settleRequest('expired');
  }

  /** Cancels the request: the turn was cancelled or has ended, or the agent doesn't wait any more. */
  cancelRequest(): void {
    if (!this.isPending) return;
    this.options.request.cancel();
    this.settleRequest('cancelled');
  }

  private get remainingMs(): number {
    return this.currentReport.expiresAt - this.options.clock.now();
  }

  private settleRequest(
    state: PermissionRequestState,
    optionId: string | null = null,
    decidedAt: number | null = null,
  ): void {
    this.stopWatch();
    const { revision } = this.currentReport;
    this.currentReport = { ...this.currentReport, revision: revision + 1, state, optionId, decidedAt };
    this.options.onSettled(this.currentReport);
  }
}

/** Selects the first option of the kind `allow_once`. Rejects where nothing can be allowed for one time only. */
export function allowRequest(request: AgentPermissionRequest): void {
  const option = request.options.find(({ kind }) => kind === 'allow_once');
  if (option) request.select(option.optionId);
  else rejectRequest(request);
}

/** Rejects this request only. An agent that offers no such option gets the answer `cancelled`. */
export function rejectRequest(request: AgentRequest): void {
  if (isAgentQuestion(request)) return void request.decline();
  const option = request.options.find(({ kind }) => kind === 'reject_once');
  if (option) request.select(option.optionId);
  else request.cancel();
}

/** Returns the first report of a request. @param content the sealed one */
export function createPendingReport(
  request: AgentRequest,
  turn: Turn,
  content: string,
  expiresAt: number,
): PermissionRequestReport {
  return {
    revision: 1,
    turnLocalId: turn.requestId,
    kind: request.kind,
    options: request.options.map(({ optionId, kind }) => ({ optionId, kind })),
    content,
    expiresAt,
    state: 'pending',
    optionId: null,
    decidedAt: null,
  };
}

/** Returns the path at which the device reports a request. */
export const buildRequestPath = (sessionId: string, localId: string): string =>
  `/v1/sessions/${encodeURIComponent(sessionId)}/permission-requests/${encodeURIComponent(localId)}`;

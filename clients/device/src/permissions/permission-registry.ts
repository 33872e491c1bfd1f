import { setTimeout as sleep } from 'node:timers/promises';
import {
  computeRequestId,
  getDecidedState,
  MAX_PENDING_PERMISSIONS,
  type AnswerQuestionParams,
  type Capability,
  type DecidePermissionResult,
  type PermissionRequestReport,
  type SelectOptionParams,
} from '@external-api/protocol';
import { isAgentQuestion, type AgentQuestion } from '../agent/agent-question';
import type { AgentPermissionRequest, AgentRequest } from '../agent/agent-session';
import type { PermissionRequestResource } from '../api-resources';
import { CommandError } from '../exec/command-error';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import type { ServerClock } from '../machine/server-clock';
import type { RuleSet } from '../rules/rule-set';
import type { RuleDecision } from '../rules/permission-rule';
import type { SignedInDevice } from '../signed-in-device';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import type { StateReporter } from '../turns/state-reporter';
import type { Turn } from '../turns/turn';
import {
  allowRequest,
  buildRequestPath,
  createPendingReport,
  PendingPermission,
  rejectRequest,
} from './pending-permission';
import { sealPermissionContent } from './permission-content';
import { choosePermissionPolicy, type PermissionPolicy } from './permission-policy';
import { watchExpiry } from './watch-expiry';

/** How long `requires_action` is delayed until the service has the request, so that callers find it. */
const STORE_TIMEOUT_MS = 5_000;

const RULE_POLICIES: Record<RuleDecision, PermissionPolicy> = { allow: 'allow', ask: 'ask', deny: 'reject' };
const POLICY_VERBS: Record<PermissionPolicy, string> = { allow: 'allows', ask: 'asks about', reject: 'rejects' };

export interface PermissionRegistryDependencies {
  /** Policy of the machine; undefined: `ask`, where the service can pass on decisions. */
  policy: PermissionPolicy | undefined;
  /** Rules of `--rules`, which come before the policy. */
  rules: RuleSet;
  /** How long a request waits for a decision, in ms. */
  timeoutMs: number;
  device: SignedInDevice;
  capabilities: CapabilityNegotiation;
  reporter: StateReporter;
  clock: ServerClock;
  onProblem: (problem: string) => void;
}

/** A decision that counted, and the turn whose agent has asked. */
export interface ExecutedDecision {
  result: DecidePermissionResult;
  turn: Turn;
}

/** Answers agents that ask before they use a tool: by the policy, or by the decision of a caller. */
export class PermissionRegistry {
  private readonly pendingPermissions = new Map<string, PendingPermission>();
  private readonly openedCounts = new WeakMap<Turn, number>();
  private readonly endedTurns = new WeakSet<Turn>();
  /** Ids of the requests of this run whose end the service has not stored. */
  private readonly unsettledIds = new Set<string>();

  constructor(private readonly dependencies: PermissionRegistryDependencies) {}

  /**
   * Answers the request by the rules or the policy, or asks the session's callers. Never rejects.
   * @param addNotice tells the reader of the session's history which rule was used, and why nobody is asked
   */
  async openRequest(
    request: AgentRequest,
    turn: Turn,
    session: HostedAgentSession,
    addNotice: (notice: string) => void,
  ): Promise<void> {
    const askedAt = Date.now();
    const getRemainingMs = (): number => askedAt + this.dependencies.timeoutMs - Date.now();
    if (isAgentQuestion(request)) await this.openQuestion(request, turn, session, getRemainingMs, addNotice);
    else await this.openToolRequest(request, turn, session, getRemainingMs, addNotice);
  }

  /** Only people can answer, so rules don't matter, and `allow` means `ask`. */
  private async openQuestion(
    question: AgentQuestion,
    turn: Turn,
    session: HostedAgentSession,
    getRemainingMs: () => number,
    addNotice: (notice: string) => void,
  ): Promise<void> {
    const canAsk = await this.waitForService('session.question', question, getRemainingMs);
    if (this.endedTurns.has(turn)) return void question.cancel();
    const { policy } = this.dependencies;
    if (policy !== 'reject' && canAsk && getRemainingMs() > 0)
      return this.askOrReject(question, turn, session, getRemainingMs());
    const reason = policy === 'reject' ? 'nobody may decide on this machine' : 'the service can’t pass it on';
    addNotice(`A question of the agent was declined, since ${reason}: ${question.content.title}`);
    question.decline();
  }

  private async openToolRequest(
    request: AgentPermissionRequest,
    turn: Turn,
    session: HostedAgentSession,
    getRemainingMs: () => number,
    addNotice: (notice: string) => void,
  ): Promise<void> {
    const { policy, rules } = this.dependencies;
    const rule = await rules.findRule(request, session.cwd);
    const canAsk = await this.waitForService('session.permission', request, getRemainingMs);
    if (this.endedTurns.has(turn)) return void request.cancel();
    const configured = rule ? RULE_POLICIES[rule.decision] : policy;
    const chosenPolicy = choosePermissionPolicy(configured, session.isTrusted, canAsk && getRemainingMs() > 0);
    if (rule) addNotice(`Rule ${rule.number} of the machine ${POLICY_VERBS[chosenPolicy]}: ${request.title}`);
    if (chosenPolicy !== 'ask') {
      if (chosenPolicy === 'allow') allowRequest(request);
      else rejectRequest(request);
      if (rule && canAsk) await this.reportRuleUse(request, turn, session);
      return;
    }
    await this.askOrReject(request, turn, session, getRemainingMs());
  }

  /**
   * Executes the first decision on a request. Returns its turn beside the result.
   * @throws CommandError `permission_not_pending`; `conflict` for a decision about other content, an unknown option or
   *   another kind of request; `invalid_answers`, after which the question waits on
   */
  decideRequest(sessionId: string | undefined, params: SelectOptionParams | AnswerQuestionParams): ExecutedDecision {
    const permission = this.pendingPermissions.get(params.localId);
    permission?.expireIfDue();
    if (!permission?.isPending || permission.turn.sessionId !== sessionId) throw createNotPendingError();
    if (!permission.hasContentHash(params.contentHash))
      throw new CommandError('conflict', 'The decision is about other content than that of the request.');
    const now = this.dependencies.clock.now();
    const isDecided =
      'answers' in params
        ? permission.answerQuestion(params.answers, now)
        : permission.selectOption(params.optionId, now);
    if (!isDecided) throw createNotPendingError();
    const { state, optionId } = permission.report;
    return { result: { state, optionId }, turn: permission.turn };
  }

  /** Cancels the requests of a turn that has ended, and those that it is still to open. */
  cancelRequestsOfTurn(turn: Turn): void {
    this.endedTurns.add(turn);
    for (const permission of this.pendingPermissions.values()) if (permission.turn === turn) permission.cancelRequest();
  }

  /** Reports the pending requests again, as to a service that may have lost them. */
  repeatRequests(): void {
    for (const [localId, permission] of this.pendingPermissions)
      if (permission.isPending) void this.reportPending(localId, permission);
  }

  /**
   * Cancels the pending requests of a session that are of an earlier run: their agents ended with it.
   * @throws ApiResponseError, UnreachableError
   */
  async cancelLostRequests(sessionId: string): Promise<void> {
    const { device, reporter } = this.dependencies;
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}/permission-requests`;
    for await (const request of device.iterateItems<PermissionRequestResource>(`${path}?state=pending`)) {
      const { localId, turnId, revision, kind, options, content, expiresAt } = request;
      if (this.unsettledIds.has(localId) || content === null) continue;
      const report: PermissionRequestReport = {
        revision: revision + 1,
        turnLocalId: computeRequestId(turnId),
        kind,
        options,
        content,
        expiresAt,
        state: 'cancelled',
        optionId: null,
        decidedAt: null,
      };
      void reporter.reportState(`${path}/${encodeURIComponent(localId)}`, report);
    }
  }

  /**
   * Returns whether the service can pass on decisions. Waits for the first connection: a turn of an earlier run may
   * continue before it. Gives up when the request has been answered or has expired.
   */
  private async waitForService(
    capability: Capability,
    request: AgentRequest,
    getRemainingMs: () => number,
  ): Promise<boolean> {
    const { capabilities } = this.dependencies;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const stopWatch = watchExpiry(getRemainingMs, abort);
    void request.closed.then(abort);
    await capabilities.waitForHello(controller.signal);
    stopWatch();
    return capabilities.isAccepted(capability);
  }

  /** Reports a request that a rule has decided, so that it is listed with the others of its turn. */
  private async reportRuleUse(request: AgentPermissionRequest, turn: Turn, session: HostedAgentSession): Promise<void> {
    const { reporter, clock, onProblem } = this.dependencies;
    const localId = this.createLocalId(turn);
    const decidedAt = clock.now();
    try {
      const content = await sealPermissionContent(request, session.hosted, localId);
      const report = createPendingReport(request, turn, content, decidedAt);
      const selected = await request.closed;
      const decision = selected && { state: getDecidedState(selected.kind), optionId: selected.optionId, decidedAt };
      void reporter.reportState(buildRequestPath(turn.sessionId, localId), {
        ...report,
        state: 'cancelled',
        ...decision,
      });
    } catch (error) {
      onProblem(`A permission request that a rule has decided isn't listed: ${(error as Error).message}`);
    }
  }

  private createLocalId(turn: Turn): string {
    const serial = (this.openedCounts.get(turn) ?? 0) + 1;
    this.openedCounts.set(turn, serial);
    return `${turn.requestId}:p${serial}`;
  }

  private async askOrReject(
    request: AgentRequest,
    turn: Turn,
    session: HostedAgentSession,
    timeoutMs: number,
  ): Promise<void> {
    try {
      await this.askForDecision(request, turn, session, timeoutMs);
    } catch (error) {
      this.dependencies.onProblem(`A permission request was rejected: ${(error as Error).message}`);
      rejectRequest(request);
    }
  }

  private async askForDecision(
    request: AgentRequest,
    turn: Turn,
    { hosted }: HostedAgentSession,
    timeoutMs: number,
  ): Promise<void> {
    const { reporter, clock } = this.dependencies;
    const localId = this.createLocalId(turn);
    const content = await sealPermissionContent(request, hosted, localId);
    if (this.endedTurns.has(turn)) return void request.cancel();
    if (this.countPending(({ sessionId }) => sessionId === turn.sessionId) >= MAX_PENDING_PERMISSIONS)
      throw new Error(`The session has ${MAX_PENDING_PERMISSIONS} pending requests.`);
    const report = createPendingReport(request, turn, content, clock.now() + timeoutMs);
    const path = buildRequestPath(turn.sessionId, localId);
    const onSettled = (settledReport: PermissionRequestReport): void => {
      this.pendingPermissions.delete(localId);
      void reporter.reportState(path, settledReport).then(() => this.unsettledIds.delete(localId));
      this.updateTurn(turn);
    };
    const permission = new PendingPermission({ turn, request, report, clock, onSettled });
    this.pendingPermissions.set(localId, permission);
    this.unsettledIds.add(localId);
    void request.closed.then(() => permission.cancelRequest());
    await Promise.race([this.reportPending(localId, permission), sleep(STORE_TIMEOUT_MS, undefined, { ref: false })]);
    if (permission.isPending) this.updateTurn(turn);
  }

  /** Resolves when the service has stored or rejected the request, however late, or the report is repeated. */
  private async reportPending(localId: string, permission: PendingPermission): Promise<void> {
    const { reporter } = this.dependencies;
    const path = buildRequestPath(permission.turn.sessionId, localId);
    const isStored = await reporter.reportState(path, permission.report);
    // Nobody can decide on a request that the service has rejected. One that is repeated may still be stored.
    if (!isStored && !reporter.isWaiting(path)) permission.expireRequest();
  }

  private updateTurn(turn: Turn): void {
    const count = this.countPending((candidate) => candidate === turn);
    const change = { state: count > 0 ? 'requires_action' : 'running', pendingPermissions: count } as const;
    void turn.changeState(change).catch((error: Error) => this.dependencies.onProblem(error.message));
  }

  private countPending(isCounted: (turn: Turn) => boolean): number {
    return [...this.pendingPermissions.values()].filter(({ turn }) => isCounted(turn)).length;
  }
}

const createNotPendingError = (): CommandError =>
  new CommandError('permission_not_pending', 'The permission request is no longer pending.');

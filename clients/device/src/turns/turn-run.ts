import { AgentError, describeFailure } from '../agent/agent-error';
import type { AgentInfo } from '../agent/agent-inquiry';
import type { AgentRequest, AgentSessionLease, AgentSessionProvider, AgentTurnListener } from '../agent/agent-session';
import { JsonRpcError } from '../agent/json-rpc-peer';
import { MAX_LINE_BYTES } from '../agent/line-reader';
import { createPromptContent, type PromptContent } from '../agent/prompt-content';
import { TurnFiles } from '../artifacts/turn-files';
import type { AttachmentFolder } from '../attachments/attachment-folder';
import type { AttachmentReader } from '../attachments/attachment-reader';
import { CommandError, findCommandError, getErrnoCode } from '../exec/command-error';
import type { ServerClock } from '../machine/server-clock';
import type { PermissionRegistry } from '../permissions/permission-registry';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import { TurnPatch, type TurnPatchDependencies } from '../work-tree/turn-patch';
import type { Turn, TurnChange } from './turn';
import { TurnHistory } from './turn-history';
import type { TurnStore } from './turn-store';

const NEW_AGENT_SESSION_NOTICE = 'The agent was started anew and does not know the earlier messages of this session.';

/** The service promises a time that is at most 15 s old. */
const ACTIVITY_INTERVAL_MS = 10_000;

export interface TurnRunDependencies extends TurnPatchDependencies {
  provider: AgentSessionProvider;
  permissions: PermissionRegistry;
  attachmentReader: AttachmentReader;
  attachmentFolder: AttachmentFolder;
  clock: ServerClock;
  store: TurnStore;
  /** How often the service is told that the agent works. Default: 10 s. */
  activityIntervalMs?: number;
}

/** One turn while it is its session's current one: waits for the agent, prompts it, and records the end. */
export class TurnRun {
  protected readonly history: TurnHistory;
  private readonly files: TurnFiles;
  private readonly abortController = new AbortController();
  private lease: AgentSessionLease | undefined;
  protected patch: TurnPatch | null = null;
  protected hasAgentWorked = false;
  protected isCancelled = false;
  private isStopping = false;

  constructor(
    readonly turn: Turn,
    protected readonly session: HostedAgentSession,
    protected readonly dependencies: TurnRunDependencies,
  ) {
    this.history = new TurnHistory(turn, session.history, session.deltas, session.progress);
    this.files = new TurnFiles(turn.id, session, dependencies);
  }

  /** Resolves when the turn has ended. Never rejects. */
  async execute(): Promise<void> {
    const promptEnd = await this.promptAgent().catch((error: unknown) => this.toFailure(error));
    this.history.endProgress();
    const end = await this.finishWork().then(
      () => promptEnd,
      (error: unknown) => (promptEnd.state === 'failed' ? promptEnd : this.toFailure(error)),
    );
    if (this.isPostponed) return;
    const use = this.hasAgentWorked ? { ...this.lease?.session.turnUse, ...this.findLastActivity() } : undefined;
    await this.turn.changeState({ ...end, ...use, pendingPermissions: 0, endedAt: this.dependencies.clock.now() });
  }

  /** Cancels the turn, also while it waits for an agent. The agent is killed if it doesn't stop. */
  async cancelPrompt(): Promise<void> {
    this.isCancelled = true;
    this.abortController.abort();
    await this.lease?.session.cancel();
  }

  /** Undefined while the agent has not got the prompt, since nobody knows what it can do. */
  get canSteer(): boolean | undefined {
    return this.hasAgentWorked ? this.lease?.session.agent.canSteer : undefined;
  }

  /**
   * Adds a message of a user to the turn.
   * @returns the id of the stored message when the service has it; undefined if the turn has ended before
   * @throws CommandError `steer_unsupported` if the agent refuses it; `internal` if it doesn't answer
   */
  async steerPrompt(requestId: string, text: string): Promise<{ stored: Promise<string | null> } | undefined> {
    let message: { stored: Promise<string | null> } | undefined;
    const isTaken = await this.lease?.session
      .steer(text, async () => {
        message = await this.history.appendSteeringMessage(requestId, text);
      })
      .catch((error: unknown) => {
        this.appendLastNotice('The agent did not take the last message.');
        const isRefused = error instanceof JsonRpcError;
        throw new CommandError(isRefused ? 'steer_unsupported' : 'internal', describeFailure(error));
      });
    return isTaken ? message : undefined;
  }

  /** Stops waiting for an agent, because the device stops. */
  stopWaiting(): void {
    this.isStopping = true;
    this.abortController.abort();
  }

  /** Whether the turn waits for an agent when the device stops. Its message stays in the journal for the next start. */
  private get isPostponed(): boolean {
    return this.isStopping && !this.isCancelled && !this.turn.isPrompted;
  }

  /** @throws Error, which fails the turn */
  private async finishWork(): Promise<void> {
    try {
      this.dependencies.permissions.cancelRequestsOfTurn(this.turn);
      await this.history.waitUntilAppended();
    } finally {
      // The agent of a turn without a prompt has changed nothing, and a device that stops has no time.
      if (this.hasAgentWorked && !this.isStopping) await this.storeArtifacts();
      else await this.patch?.discardSnapshot();
    }
  }

  private async storeArtifacts(): Promise<void> {
    const notices: string[] = [];
    const addNotice = (notice: string) => void notices.push(notice);
    await Promise.all([this.patch?.storeChanges(this.turn.id, addNotice), this.files.finishStoring(addNotice)]);
    for (const notice of notices) this.appendLastNotice(notice);
    await this.history.waitUntilAppended();
  }

  protected async promptAgent(): Promise<TurnChange> {
    const { turn, session, dependencies } = this;
    const { signal } = this.abortController;
    // Also for an agent that runs since an earlier turn. The provider checks again before it starts one.
    await session.resolveFolder();
    const lease = await dependencies.provider.acquireSession(session.id, session.createRequest(turn.caller), signal);
    this.lease = lease;
    const { activityIntervalMs = ACTIVITY_INTERVAL_MS } = dependencies;
    const activityTimer = setInterval(() => this.reportActivity(), activityIntervalMs).unref();
    try {
      signal.throwIfAborted();
      const isMemoryLost = lease.origin === 'created' && session.isKnownToAgent;
      await session.applyLease(lease);
      const { text, blocks } = await this.preparePrompt(lease.session.agent);
      const notices: string[] = [];
      this.patch = await TurnPatch.beginTurn(session, dependencies, (notice) => notices.push(notice), signal);
      signal.throwIfAborted();
      await session.recordCaller(turn.caller);
      await turn.markPrompted(dependencies.clock.now());
      // No await between this check and the prompt: a later cancellation finds a running prompt.
      signal.throwIfAborted();
      if (isMemoryLost) notices.push(NEW_AGENT_SESSION_NOTICE);
      for (const notice of notices) this.history.appendNotice(notice);
      this.hasAgentWorked = true;
      const { stopReason } = await lease.session.prompt(text, this.createListener(), blocks);
      return { state: stopReason === 'cancelled' ? 'cancelled' : 'completed', stopReason };
    } finally {
      clearInterval(activityTimer);
      lease.release();
    }
  }

  /**
   * Returns the prompt in the form that the agent takes. Its files are artifacts then, or wait for the service.
   * @throws CommandError
   */
  private async preparePrompt(agent: AgentInfo): Promise<PromptContent> {
    const { turn, session, dependencies } = this;
    const { attachmentReader, attachmentFolder } = dependencies;
    const { text, attachments } = await session.openPrompt(turn);
    const files = await attachmentReader.loadFiles(turn, attachments, this.abortController.signal);
    await this.files.storeAttachments(files);
    return createPromptContent(text, files, agent, (file, index) =>
      attachmentFolder.saveFile(turn, index + 1, file).catch((error: unknown) => {
        throw new CommandError('attachment_unsupported', `A file can't be written: ${getErrnoCode(error)}.`);
      }),
    );
  }

  private reportActivity(): void {
    const { lastActivityAt } = this.findLastActivity();
    if (this.hasAgentWorked && lastActivityAt !== undefined) this.turn.recordActivity(lastActivityAt);
  }

  private findLastActivity(): { lastActivityAt?: number } {
    const idleMs = this.lease?.session.idleMs ?? null;
    return idleMs === null ? {} : { lastActivityAt: Math.round(this.dependencies.clock.now() - idleMs) };
  }

  protected createListener(): AgentTurnListener {
    return {
      messageTextAdded: (text) => this.history.showAgentText(text),
      messageCompleted: (text) => this.history.appendAgentMessage(text),
      fileSent: (file) => this.files.addFile(file),
      thoughtTextAdded: (text) => this.history.showThought(text),
      thoughtCompleted: () => this.history.completeThought(),
      toolCallChanged: (call) => this.history.showToolCall(call),
      toolCallFinished: (call, running) => this.history.appendToolCall(call, running),
      planChanged: (entries, omitted) => this.history.showPlan(entries, omitted),
      lineSkipped: (bytes) => this.history.appendNotice(formatSkippedLine(bytes)),
      noticeAdded: (text) => this.history.appendNotice(text),
      permissionRequested: (request) => {
        void this.openRequest(request);
      },
    };
  }

  protected async openRequest(request: AgentRequest): Promise<void> {
    const addNotice = (notice: string): void => this.appendLastNotice(notice);
    await this.dependencies.permissions.openRequest(request, this.turn, this.session, addNotice);
  }

  private toFailure(error: unknown): TurnChange {
    if (this.isCancelled) return { state: 'cancelled', stopReason: 'cancelled' };
    const reason = describeFailure(error);
    const failure = `The turn ${this.turn.id} failed: ${reason.replaceAll('\n', ' | ')}`;
    if (!this.isPostponed) this.dependencies.onProblem(failure);
    if (this.isStopping) return { state: 'failed', errorCode: 'agent_lost' };
    const beginning = this.hasAgentWorked ? 'The agent failed' : 'The agent could not begin';
    if (isKnownReason(error)) this.appendLastNotice(`${beginning}: ${reason}`);
    return { state: 'failed', errorCode: error instanceof AgentError ? error.code : 'agent_error' };
  }

  /** Tells the reader what nothing else says, unless the history is full. */
  protected appendLastNotice(notice: string): void {
    try {
      this.history.appendNotice(notice);
    } catch (error) {
      this.dependencies.onProblem((error as Error).message);
    }
  }
}

/** Whether the message was written for callers. That of another error may name files of the machine's user. */
const isKnownReason = (error: unknown): boolean => error instanceof AgentError || findCommandError(error) !== undefined;

const formatSkippedLine = (bytes: number): string =>
  `A message of the agent is missing here: it had ${bytes} bytes, and may have ${MAX_LINE_BYTES}.`;

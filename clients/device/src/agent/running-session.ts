import type { SessionOptionsResult, StopReason } from '@external-api/protocol';
import type { ProcessIdentity } from '../exec/process-identity';
import { AGENT_METHODS, getBlockText, parseStopReason, toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { AgentLimits } from './agent-limits';
import type { AgentInfo } from './agent-inquiry';
import type { AgentProcess } from './agent-process';
import type {
  AgentCommand,
  AgentSession,
  AgentTurnListener,
  AgentTurnResult,
  ReplayedMessage,
  TurnUse,
  UnpromptedWorkReceiver,
} from './agent-session';
import type { AgentMode, AgentSettings } from './agent-settings';
import { AgentTurn } from './agent-turn';
import type { AgentModeTable } from './asking-modes';
import { ModeGuard } from './mode-guard';
import { OptionControl } from './option-control';
import { CANCELLED_RESPONSE } from './permission-request';
import { CANCELLED_FORM } from './question-request';
import type { ReplayFilter } from './replay-filter';
import type { ReplayRecorder } from './replay-recorder';
import type { SessionModes } from './session-modes';
import { TitleFilter } from './title-filter';
import { toAgentError } from './to-agent-error';
import { UnpromptedTurns } from './unprompted-turns';
import { UsageMeter } from './usage-meter';

export interface RunningSessionOptions {
  id: string;
  agent: AgentInfo;
  process: AgentProcess;
  limits: AgentLimits;
  modes: SessionModes;
  /** The answer that opened the session. */
  answer: JsonObject;
  command: AgentCommand;
  /** What the modes of the agent allow, if it is known. */
  table: AgentModeTable | undefined;
  /** Set for a session that was loaded. */
  replayFilter?: ReplayFilter;
  /** Set for a session that continues one of another client. */
  replayRecorder?: ReplayRecorder;
}

/** Notices that wait for the next turn. */
const MAX_WAITING_NOTICES = 16;

/** A session of a running agent process, with one prompt at a time. */
export class RunningSession implements AgentSession {
  readonly id: string;
  readonly agent: AgentInfo;
  onModesReported?: () => void;
  onTitled?: (title: string) => void;
  /** Called when `isWorkingUnprompted` or `isWaitingForDecision` may have changed. */
  onWorkChanged?: () => void;
  private readonly modeGuard: ModeGuard;
  private readonly optionControl: OptionControl;
  private readonly waitingNotices: string[] = [];
  private turn: AgentTurn | undefined;
  private readonly unpromptedTurns: UnpromptedTurns;
  private turnEnded: Promise<unknown> = Promise.resolve();
  private readonly usageMeter: UsageMeter;
  private readonly titleFilter = new TitleFilter();
  private readonly reportWork = (): void => this.onWorkChanged?.();
  /** Time of `performance.now()` */
  private activeAt: number | null = null;

  constructor(private readonly options: RunningSessionOptions) {
    const { id, agent, process, limits, modes, answer, command, table } = options;
    this.id = id;
    this.agent = agent;
    this.usageMeter = new UsageMeter(agent.name);
    const shared = {
      sessionId: id,
      modes,
      table,
      sendRequest: (method: string, params: JsonObject) => this.changeSetting(method, params),
      addNotice: (text: string) => this.addNotice(text),
    };
    this.optionControl = new OptionControl({
      ...shared,
      answer,
      onAnswered: (changed) => this.modeGuard.handleReport(changed),
    });
    this.modeGuard = new ModeGuard({
      ...shared,
      command,
      killAgent: (error) => process.killGroup(error),
      onChanged: () => this.onModesReported?.(),
    });
    this.unpromptedTurns = new UnpromptedTurns(process, limits, this.reportWork);
  }

  identifyProcess(): Promise<ProcessIdentity | undefined> {
    return this.options.process.readIdentity();
  }

  get modes(): readonly AgentMode[] {
    return this.options.modes.available;
  }

  get currentMode(): string | null {
    return this.options.modes.current;
  }

  get turnUse(): TurnUse {
    return this.usageMeter.turnUse;
  }

  /** A tool that runs without a word is work as well. */
  get idleMs(): number | null {
    if (this.turn?.isToolRunning) return 0;
    return this.activeAt === null ? null : performance.now() - this.activeAt;
  }

  /** Whether the agent works without a prompt. */
  get isWorkingUnprompted(): boolean {
    return this.unpromptedTurns.isWorking;
  }

  receiveUnpromptedWork(receiver: UnpromptedWorkReceiver): void {
    this.unpromptedTurns.receiver = receiver;
  }

  /** Whether the agent does nothing before somebody decides. */
  get isWaitingForDecision(): boolean {
    const turns = [this.turn, this.unpromptedTurns.turn].filter((turn) => turn !== undefined);
    return turns.length > 0 && turns.every((turn) => turn.isWaitingForDecision);
  }

  get offer(): SessionOptionsResult {
    return this.optionControl.offer;
  }

  isDecidingValue(optionId: string, value: string): boolean {
    return this.optionControl.isDeciding(optionId, value);
  }

  /** Chooses options and mode for the next prompt. The mode is last, since an agent may change it with an option. */
  async applySettings({ modeRule, options }: AgentSettings): Promise<void> {
    if (options) await this.optionControl.applyValues(options, modeRule);
    const callerMode = this.optionControl.findMode(options?.values ?? {}) ?? modeRule.callerMode;
    await this.modeGuard.applyRule({ ...modeRule, callerMode });
  }

  /** Resolves when the agent doesn't repeat the past any more. */
  async waitForReplay(): Promise<void> {
    await this.options.replayFilter?.waitUntilQuiet();
  }

  readReplay(): readonly ReplayedMessage[] {
    return this.options.replayRecorder?.close() ?? [];
  }

  async prompt(
    text: string,
    listener: AgentTurnListener,
    blocks: readonly JsonObject[] = [],
  ): Promise<AgentTurnResult> {
    if (this.turn) throw new Error('A prompt of this session is running.');
    const turn = new AgentTurn(listener, this.options.limits, () => this.stopTurn(), this.reportWork);
    this.turn = turn;
    this.reportWork();
    for (const notice of this.waitingNotices.splice(0)) turn.addNotice(notice);
    const prompt = [{ type: 'text', text }, ...blocks];
    this.options.replayFilter?.beginPrompt(prompt.map((block) => getBlockText(block)).join(''));
    this.unpromptedTurns.beginPrompt();
    this.usageMeter.beginTurn();
    this.titleFilter.beginPrompt(text);
    this.activeAt = null;
    const result = this.runTurn(turn, prompt);
    this.turnEnded = result.catch(() => undefined);
    return result;
  }

  async steer(text: string, beforeSending: () => Promise<void>): Promise<boolean> {
    const { turn } = this;
    turn?.completeMessage();
    if (!turn || turn.interruptedBy) return false;
    await beforeSending();
    if (this.turn !== turn || turn.interruptedBy) return false;
    const prompt = [{ type: 'text', text }];
    // Without this, agents begin a turn that nobody waits for when theirs has ended.
    const params = { sessionId: this.id, prompt, _meta: { steering: { idleBehavior: 'promptRequired' } } };
    const { outcome } = toObject(await this.options.process.peer.sendRequest(AGENT_METHODS.steer, params));
    return outcome !== 'promptRequired';
  }

  async cancel(): Promise<void> {
    this.turn?.interrupt('cancelled');
    await this.turnEnded;
  }

  /** Ignores updates with which the agent repeats the past after a load. */
  handleUpdate(update: JsonObject): void {
    const isAboutOptions = this.optionControl.handleReport(update);
    this.modeGuard.handleReport(update);
    if (isAboutOptions) this.onModesReported?.();
    this.activeAt = performance.now();
    this.turn?.recordActivity();
    const { replayFilter, replayRecorder } = this.options;
    if (replayFilter?.isPast(update)) return replayRecorder?.addUpdate(update);
    this.usageMeter.handleUpdate(update);
    const title = this.titleFilter.findTitle(update);
    if (title !== undefined) this.onTitled?.(title);
    const turn = this.unpromptedTurns.findTurn(update, this.turn);
    turn?.recordActivity();
    turn?.handleUpdate(update);
  }

  /** Names a message in the turn that was too long to be read. */
  handleSkippedLine(bytes: number): void {
    this.activeAt = performance.now();
    const turn = this.turn ?? this.unpromptedTurns.turn;
    turn?.recordActivity();
    turn?.handleSkippedLine(bytes);
  }

  /** An agent that has left its mode gets no permission before it is back. */
  async requestPermission(params: JsonObject): Promise<unknown> {
    this.activeAt = performance.now();
    const turn = this.unpromptedTurns.findAskingTurn(params, this.turn);
    const response = (await turn?.requestPermission(params)) ?? CANCELLED_RESPONSE;
    if (response !== CANCELLED_RESPONSE) await this.modeGuard.settled;
    return turn?.interruptedBy ? CANCELLED_RESPONSE : response;
  }

  /** A form about a tool call belongs to the turn of the call, as a permission request does. */
  async askQuestion(params: JsonObject): Promise<unknown> {
    this.activeAt = performance.now();
    const turn = this.unpromptedTurns.findAskingTurn({ toolCall: { toolCallId: params.toolCallId } }, this.turn);
    return (await turn?.askQuestion(params)) ?? CANCELLED_FORM;
  }

  /** The answer to a change has all options. */
  private async changeSetting(method: string, params: JsonObject): Promise<unknown> {
    const answer = await this.options.process.peer.sendRequest(method, params);
    this.optionControl.handleReport({ configOptions: toObject(answer).configOptions });
    return answer;
  }

  private addNotice(text: string): void {
    if (this.turn) this.turn.addNotice(text);
    else if (this.waitingNotices.length < MAX_WAITING_NOTICES) this.waitingNotices.push(text);
  }

  private async runTurn(turn: AgentTurn, prompt: readonly JsonObject[]): Promise<AgentTurnResult> {
    const params = { sessionId: this.id, prompt };
    const response = await this.options.process.peer.sendRequest(AGENT_METHODS.prompt, params).then(
      (result) => toObject(result),
      (error: Error) => error,
    );
    const isCancelled = turn.interruptedBy !== undefined || getStopReason(response) === 'cancelled';
    const isCommandLeft = isCancelled && turn.hasUnfinishedCommand;
    this.unpromptedTurns.endPrompt(turn, isCancelled);
    this.turn = undefined;
    if (!(response instanceof Error)) this.usageMeter.endTurn(response);
    await this.endProcesses(isCommandLeft);
    if (turn.interruptedBy instanceof AgentError) throw this.toAgentError(turn.interruptedBy);
    if (response instanceof Error) {
      if (turn.interruptedBy === 'cancelled') return { stopReason: 'cancelled' };
      throw this.toAgentError(response);
    }
    // Some agents complete a turn that was cancelled. The caller who cancelled it learns that it is.
    const stopReason = turn.interruptedBy === 'cancelled' ? 'cancelled' : getStopReason(response);
    if (stopReason) return { stopReason };
    throw this.toAgentError(new AgentError('agent_error', 'The agent ended the turn for an unknown reason.'));
  }

  private toAgentError(error: Error): AgentError {
    return toAgentError(error, this.options.process.readLastErrorLines());
  }

  /**
   * Stops an agent that has ended a turn and left a command of it. Resolves when nothing of the agent runs, if it was
   * stopped or has ended by itself: then its turn may be called ended.
   */
  private async endProcesses(isCommandLeft: boolean): Promise<void> {
    const { process } = this.options;
    if (isCommandLeft) await process.stop();
    else if (!process.isRunning) await process.closed;
  }

  /** Kills the agent if it doesn't end the turn in time: it may go on using tools otherwise. */
  private stopTurn(): void {
    const { turn } = this;
    const { process, limits } = this.options;
    process.peer.sendNotification(AGENT_METHODS.cancel, { sessionId: this.id });
    setTimeout(() => {
      if (this.turn === turn) process.killGroup(new AgentError('agent_lost', 'The agent did not stop in time.'));
    }, limits.cancelGraceMs).unref();
  }
}

const getStopReason = (response: JsonObject | Error): StopReason | undefined =>
  response instanceof Error ? undefined : parseStopReason(response.stopReason);

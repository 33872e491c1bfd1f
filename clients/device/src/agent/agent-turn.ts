import { MAX_PENDING_PERMISSIONS } from '@external-api/protocol';
import { getBlockText, parsePlan, toObject, toText, type JsonObject } from './acp';
import { OutputBuffer } from '../exec/output-buffer';
import { AgentError } from './agent-error';
import type { AgentFile } from './agent-file';
import { AgentMessage } from './agent-message';
import type { AgentTurnListener } from './agent-session';
import { JSON_RPC_ERRORS, JsonRpcError } from './json-rpc-peer';
import { CANCELLED_RESPONSE, parseOptions, PermissionRequest } from './permission-request';
import { FormError } from './question-fields';
import { QuestionForm } from './question-form';
import {
  CANCELLED_FORM,
  DECLINED_FORM,
  findPermissionQuestions,
  type FormResponse,
  QuestionRequest,
  toPermissionResponse,
  toQuestionForm,
} from './question-request';
import { TerminalOutputs } from './terminal-outputs';
import { ToolCall } from './tool-call';
import { MAX_TOOL_TEXT_BYTES } from './tool-output';
import { TurnWatchdog, type TurnLimits } from './turn-watchdog';

const MAX_UNFINISHED_TOOL_CALLS = 256;
const MAX_TOOL_CALLS = 10_000;
const MAX_ID_LENGTH = 1_024;

/** Updates after which another thought begins. The others report the session's state. */
const THOUGHT_ENDS = new Set(['user_message_chunk', 'agent_message_chunk', 'tool_call']);

/** State of one running turn: joins the agent's messages, merges its tool calls and counts its permission requests. */
export class AgentTurn {
  private readonly watchdog: TurnWatchdog;
  private readonly openRequests = new Set<PermissionRequest | QuestionRequest>();
  private readonly unfinishedCalls = new Map<string, ToolCall>();
  /** Ids of calls that can't change any more. */
  readonly finishedCallIds = new Set<string>();
  private readonly terminals = new TerminalOutputs(MAX_TOOL_TEXT_BYTES);
  private message: AgentMessage | undefined;
  private thought: AgentMessage | undefined;
  /** Set when the turn must end: the error that it fails with, or `cancelled`. */
  private interruption: AgentError | 'cancelled' | undefined;
  private isFinished = false;
  private readonly nameFile = (file: AgentFile): string | undefined => this.listener.fileSent?.(file);

  /**
   * @param onInterrupted called once, when the agent must be told to stop
   * @param onRequestsChanged called when a request is opened or closed
   */
  constructor(
    private readonly listener: AgentTurnListener,
    limits: TurnLimits,
    private readonly onInterrupted: () => void,
    private readonly onRequestsChanged: () => void = () => undefined,
  ) {
    this.watchdog = new TurnWatchdog(limits, (error) => this.interrupt(error));
  }

  get interruptedBy(): AgentError | 'cancelled' | undefined {
    return this.interruption;
  }

  /** Whether a permission request or a question is open. */
  get isWaitingForDecision(): boolean {
    return this.openRequests.size > 0;
  }

  /** False while the agent waits for a decision. */
  get isToolRunning(): boolean {
    return !this.isWaitingForDecision && [...this.unfinishedCalls.values()].some(({ isRunning }) => isRunning);
  }

  /** Whether a command that the agent has begun in this turn may still run. */
  get hasUnfinishedCommand(): boolean {
    return [...this.unfinishedCalls.values()].some(({ isBegunCommand }) => isBegunCommand);
  }

  /** Whether a tool call or a permission request is open. */
  get isBusy(): boolean {
    return this.unfinishedCalls.size + this.openRequests.size > 0;
  }

  hasToolCall(toolCallId: unknown): boolean {
    return this.unfinishedCalls.has(toolCallId as string) || this.finishedCallIds.has(toolCallId as string);
  }

  /** Goes on with a call that an earlier turn has begun. */
  adoptToolCall(call: ToolCall): void {
    this.unfinishedCalls.set(call.id, call);
  }

  /** Ends the turn early: answers all open permission requests with `cancelled`. The first reason counts. */
  interrupt(reason: AgentError | 'cancelled'): void {
    if (this.interruption) return;
    this.interruption = reason;
    this.watchdog.stop();
    this.cancelRequests();
    if (!this.isFinished) this.onInterrupted();
  }

  recordActivity(): void {
    this.watchdog.recordActivity();
  }

  handleUpdate(update: JsonObject): void {
    const { sessionUpdate, toolCallId } = update;
    if (THOUGHT_ENDS.has(sessionUpdate as string)) this.completeThought();
    if (sessionUpdate === 'agent_message_chunk') this.appendToMessage(update);
    else if (sessionUpdate === 'agent_thought_chunk') this.appendToThought(update);
    else if (sessionUpdate === 'plan') this.showPlan(update.entries);
    else if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update')
      this.mergeToolCall(toolCallId, update);
    else if (sessionUpdate === 'user_message_chunk') this.completeMessage();
  }

  handleSkippedLine(bytes: number): void {
    this.callListener(() => this.listener.lineSkipped?.(bytes));
  }

  /** Adds what the device has to say about the agent, after the message that the agent is writing. */
  addNotice(text: string): void {
    this.completeMessage();
    this.callListener(() => this.listener.noticeAdded?.(text));
  }

  /** Returns the agent's response. @throws JsonRpcError when the request offers no option */
  async requestPermission({ toolCall, options }: JsonObject): Promise<unknown> {
    const offeredOptions = parseOptions(options);
    if (offeredOptions.length === 0) throw new JsonRpcError(JSON_RPC_ERRORS.invalidParams, 'No known option');
    if (this.interruption || this.openRequests.size >= MAX_PENDING_PERMISSIONS) return CANCELLED_RESPONSE;
    const proposed = toObject(toolCall);
    const questions = findPermissionQuestions(proposed);
    if (questions) return toPermissionResponse(await this.askQuestion(toQuestionForm(questions)), offeredOptions);
    // An agent may also ask about a call that it has reported as finished.
    const call = this.getToolCall(proposed.toolCallId) ?? new ToolCall(toText(proposed.toolCallId));
    call.mergeUpdate(proposed);
    call.recordQuestion();
    this.completeMessage();
    const request = new PermissionRequest(call, offeredOptions, (closed, outcome) => {
      if (outcome?.kind.startsWith('reject')) call.reject();
      else if (outcome) call.recordPermission();
      this.removeRequest(closed);
    });
    this.openRequest(request);
    return request.waitForResponse();
  }

  /** Returns the agent's response. Tells the reader of a form that nobody can be shown. */
  async askQuestion(params: JsonObject): Promise<FormResponse> {
    if (this.interruption || this.openRequests.size >= MAX_PENDING_PERMISSIONS) return CANCELLED_FORM;
    const form = readForm(params);
    if (form instanceof FormError) {
      this.addNotice(`A question of the agent was declined: ${form.message}.`);
      return DECLINED_FORM;
    }
    this.completeMessage();
    const question = new QuestionRequest(form, (closed) => this.removeRequest(closed));
    this.openRequest(question);
    return question.closed;
  }

  /**
   * Hands over what is left when the turn has ended. Returns the calls that may go on.
   * @param isCancelled whether the calls that have not finished were cancelled
   */
  finish(isCancelled = false): ToolCall[] {
    this.isFinished = true;
    this.watchdog.stop();
    this.cancelRequests();
    this.completeMessage();
    const leftCalls = [...this.unfinishedCalls.values()].filter((call) => call.isRecorded || call.isBegunCommand);
    this.unfinishedCalls.clear();
    for (const call of leftCalls) {
      this.callListener(() => this.listener.toolCallFinished(call.toRecord(isCancelled), call));
      if (isCancelled) this.finishedCallIds.add(call.id);
    }
    return isCancelled ? [] : leftCalls;
  }

  private appendToMessage({ messageId, content, _meta }: JsonObject): void {
    const id = toText(messageId);
    // Qwen Code sends no ids. What it says by itself comes whole, and has this mark.
    const isWhole = toObject(_meta).qwenDiscreteMessage === true;
    if (isWhole || !this.message?.contains(id)) this.completeMessage();
    this.message ??= new AgentMessage(id, new OutputBuffer());
    this.showText(this.message.addPiece(getBlockText(content, this.nameFile), id));
    if (isWhole) this.completeMessage();
  }

  /** A thought ends the message before it. */
  private appendToThought({ messageId, content }: JsonObject): void {
    const id = toText(messageId);
    this.completeMessage();
    if (!this.thought?.contains(id)) this.completeThought();
    this.thought ??= new AgentMessage(id, null);
    const added = this.thought.addPiece(getBlockText(content), id);
    if (added !== '') this.callListener(() => this.listener.thoughtTextAdded?.(added));
  }

  private showPlan(announced: unknown): void {
    const { entries, omitted } = parsePlan(announced);
    this.callListener(() => this.listener.planChanged?.(entries, omitted));
  }

  private completeThought(): void {
    if (this.thought) this.callListener(() => this.listener.thoughtCompleted?.());
    this.thought = undefined;
  }

  completeMessage(): void {
    const { text = '', added = '' } = this.message?.complete() ?? {};
    this.message = undefined;
    this.showText(added);
    if (text.trim() !== '') this.callListener(() => this.listener.messageCompleted(text));
  }

  private showText(added: string): void {
    if (added !== '') this.callListener(() => this.listener.messageTextAdded?.(added));
  }

  private mergeToolCall(toolCallId: unknown, update: JsonObject): void {
    const call = this.getToolCall(toolCallId);
    if (!call) return;
    if (!call.isReported) this.completeMessage();
    call.isReported = true;
    call.mergeUpdate(update);
    if (call.isFinished) this.finishToolCall(call);
    else this.callListener(() => this.listener.toolCallChanged?.(call));
    this.watchdog.setToolRunning([...this.unfinishedCalls.values()].some(({ isRunning }) => isRunning));
  }

  private finishToolCall(call: ToolCall): void {
    this.unfinishedCalls.delete(call.id);
    this.finishedCallIds.add(call.id);
    // A call that ran beside it may finish within a message. Without ids, the next piece may begin another one.
    if (!this.message?.hasId) this.completeMessage();
    this.callListener(() => this.listener.toolCallFinished(call.toRecord(), call));
  }

  /** Returns undefined for a call that has finished, and for an id that can't be one. */
  private getToolCall(toolCallId: unknown): ToolCall | undefined {
    if (typeof toolCallId !== 'string' || toolCallId.length > MAX_ID_LENGTH) return undefined;
    if (this.finishedCallIds.has(toolCallId)) return undefined;
    const known = this.unfinishedCalls.get(toolCallId);
    if (known) return known;
    if (this.unfinishedCalls.size >= MAX_UNFINISHED_TOOL_CALLS || this.finishedCallIds.size >= MAX_TOOL_CALLS) {
      this.interrupt(new AgentError('agent_error', 'The agent uses too many tools in one turn.'));
      return undefined;
    }
    const call = new ToolCall(toolCallId, this.terminals, this.nameFile);
    this.unfinishedCalls.set(toolCallId, call);
    return call;
  }

  private cancelRequests(): void {
    for (const request of [...this.openRequests]) request.cancel();
  }

  private openRequest(request: PermissionRequest | QuestionRequest): void {
    this.openRequests.add(request);
    this.handleChangedRequests();
    this.callListener(() => this.listener.permissionRequested(request));
  }

  private removeRequest(request: PermissionRequest | QuestionRequest): void {
    this.openRequests.delete(request);
    this.handleChangedRequests();
  }

  private handleChangedRequests(): void {
    this.watchdog.setWaitingForDecision(this.isWaitingForDecision);
    this.onRequestsChanged();
  }

  private callListener(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.interrupt(new AgentError('agent_error', 'The turn could not be recorded.', { cause: error }));
    }
  }
}

function readForm(params: JsonObject): QuestionForm | FormError {
  try {
    return QuestionForm.parse(params);
  } catch (error) {
    return error instanceof FormError ? error : new FormError('its form can’t be read');
  }
}

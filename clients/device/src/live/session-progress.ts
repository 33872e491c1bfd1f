import type { ProgressKind } from '@external-api/protocol';
import type { PlanEntry, ToolCallRecord } from '../agent/agent-session';
import type { HostedSession } from '../history/session-history';
import { DELTA_TEXT_MEDIA_TYPE, DeltaSender, type DeltaPart, type DraftPlace } from './delta-sender';
import type { SessionDeltasDependencies } from './session-deltas';
import { MessageDraft } from './message-draft';
import { formatPlan, formatToolCall, PLAN_MEDIA_TYPE, TOOL_CALL_MEDIA_TYPE } from './progress-content';

/** Finished calls that may wait to be sent. Their messages follow in any case. */
const MAX_FINISHED = 64;

/** The newest state of a tool call or a plan, which replaces an earlier one. */
interface ProgressState {
  place: DraftPlace;
  kind: Extract<ProgressKind, 'tool' | 'plan'>;
  read: () => string;
  nextNumber: number;
  /** Whether nothing follows. It is sent once more to those who read now. */
  isLast: boolean;
}

/**
 * Sends what an agent does beside its messages, while somebody reads it (docs/protocol/agents.md#progress): thoughts,
 * tool calls from their beginning, and the plan. Of what changes fast, only the newest state is sent.
 */
export class SessionProgress {
  private readonly states = new Map<string, ProgressState>();
  /** The states to send, in the order in which they changed. */
  private readonly waitingIds = new Set<string>();
  private thought: MessageDraft | undefined;
  private readonly sender: DeltaSender;
  /** Thoughts and states take turns. */
  private isThoughtNext = true;

  constructor(
    private readonly session: HostedSession,
    private readonly dependencies: SessionDeltasDependencies,
  ) {
    this.sender = new DeltaSender(
      session,
      {
        hasPart: () => this.waitingIds.size > 0 || this.hasThought,
        takePart: () => this.takePart(),
        findConnection: () => this.findConnection(),
      },
      dependencies.onProblem,
    );
  }

  /** A new thought replaces what isn't sent of the one before: thoughts are not stored, so nobody misses it. */
  addThought(place: DraftPlace, text: string): void {
    if (this.thought?.place.localId !== place.localId) this.thought = new MessageDraft(place);
    this.thought.addText(text);
    this.sender.scheduleDelta();
  }

  /** @param read returns the call as it is when it is sent */
  changeToolCall(place: DraftPlace, read: () => ToolCallRecord): void {
    this.changeState(place, 'tool', () => formatToolCall(read()));
  }

  /** The call has ended as `record` says. Readers learn it at once, before they have the stored message. */
  finishToolCall(place: DraftPlace, record: ToolCallRecord): void {
    if (!this.states.has(place.localId)) return;
    const finishedCount = [...this.states.values()].filter(({ isLast }) => isLast).length;
    if (finishedCount >= MAX_FINISHED || !this.findConnection()) return this.removeState(place.localId);
    this.changeToolCall(place, () => record);
    this.states.get(place.localId)!.isLast = true;
  }

  /** @param omitted number of further entries of the plan */
  changePlan(place: DraftPlace, entries: readonly PlanEntry[], omitted: number): void {
    this.changeState(place, 'plan', () => formatPlan(entries, omitted));
  }

  /** Sends all that is going on once more, since somebody may have begun to read. */
  repeatStates(): void {
    for (const localId of this.states.keys()) this.waitingIds.add(localId);
    this.sender.scheduleDelta();
  }

  /** Sends nothing more of a turn that has ended. Another one may go on beside it. */
  endTurn(turnId: string): void {
    for (const [localId, { place }] of this.states) if (place.turnId === turnId) this.removeState(localId);
    if (this.thought?.place.turnId === turnId) this.thought = undefined;
  }

  private findConnection() {
    return this.dependencies.liveOutput.findProgressConnection(this.session.id);
  }

  private get hasThought(): boolean {
    return this.thought?.hasText ?? false;
  }

  private changeState(place: DraftPlace, kind: ProgressState['kind'], read: () => string): void {
    const { nextNumber = 0 } = this.states.get(place.localId) ?? {};
    this.states.set(place.localId, { place, kind, read, nextNumber, isLast: false });
    this.waitingIds.add(place.localId);
    this.sender.scheduleDelta();
  }

  private removeState(localId: string): void {
    this.states.delete(localId);
    this.waitingIds.delete(localId);
  }

  private takePart(): DeltaPart {
    const isThought = this.hasThought && (this.isThoughtNext || this.waitingIds.size === 0);
    this.isThoughtNext = !isThought;
    if (isThought) {
      const { place } = this.thought!;
      return { ...place, kind: 'thought', mediaType: DELTA_TEXT_MEDIA_TYPE, ...this.thought!.takeDelta() };
    }
    const [localId] = this.waitingIds as Iterable<string> as [string];
    const state = this.states.get(localId)!;
    const { place, kind, read, nextNumber: n, isLast } = state;
    state.nextNumber++;
    this.waitingIds.delete(localId);
    if (isLast) this.removeState(localId);
    const mediaType = kind === 'tool' ? TOOL_CALL_MEDIA_TYPE : PLAN_MEDIA_TYPE;
    return { ...place, kind, n, mediaType, bytes: Buffer.from(read()) };
  }
}

import type { AgentRequest, AgentTurnListener, UnpromptedWork } from '../agent/agent-session';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import { TurnPatch } from '../work-tree/turn-patch';
import type { Turn, TurnChange } from './turn';
import { TurnRun, type TurnRunDependencies } from './turn-run';

const LAST_TURN_NOTICE =
  'The agent has begun to work too often since the last message. It is stopped at the end of this turn.';

/**
 * A turn that an agent has begun by itself, beside the turns of messages in its session. It prompts nobody and waits
 * for no agent; all else is as in those.
 */
export class UnpromptedRun extends TurnRun {
  /** Receives what the agent does from now on. */
  readonly listener: AgentTurnListener;
  /** What the agent had changed before its first sign is no change of this turn. */
  private readonly patchBegun: Promise<TurnPatch | null>;

  /**
   * @param turn which is running already
   * @param work of the agent, whose first sign is still to be handed to the listener
   */
  constructor(
    turn: Turn,
    private readonly work: UnpromptedWork,
    session: HostedAgentSession,
    dependencies: TurnRunDependencies,
  ) {
    super(turn, session, dependencies);
    this.patchBegun = TurnPatch.beginTurn(session, dependencies, (notice) => this.appendLastNotice(notice));
    this.listener = this.createListener();
    if (work.isLast) this.appendLastNotice(LAST_TURN_NOTICE);
  }

  /** Stops the agent, since nothing tells it to end what it does by itself. */
  override async cancelPrompt(): Promise<void> {
    this.isCancelled = true;
    await this.work.cancel();
  }

  /** Waits until the agent has worked. @throws AgentError */
  protected override async promptAgent(): Promise<TurnChange> {
    this.hasAgentWorked = true;
    try {
      await this.work.ended;
    } finally {
      // Never rejects.
      this.patch = await this.patchBegun;
    }
    return this.isCancelled
      ? { state: 'cancelled', stopReason: 'cancelled' }
      : { state: 'completed', stopReason: 'end_turn' };
  }

  /** What is allowed must be a change of this turn, and the service accepts no request before the turn. */
  protected override async openRequest(request: AgentRequest): Promise<void> {
    await Promise.all([this.patchBegun, this.turn.saved]);
    await super.openRequest(request);
  }
}

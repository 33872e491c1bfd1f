import type { HostedSession } from '../history/session-history';
import { DELTA_TEXT_MEDIA_TYPE, DeltaSender, type DeltaPart, type DraftPlace } from './delta-sender';
import type { LiveOutputRequests } from './live-output-requests';
import { MessageDraft } from './message-draft';

export interface SessionDeltasDependencies {
  liveOutput: LiveOutputRequests;
  onProblem: (problem: string) => void;
}

/**
 * Sends what an agent writes in a session, while somebody reads it (docs/protocol/agents.md#deltas). Callers never wait
 * for it. Text that isn't sent yet waits for the next delta, so that a reader who comes later gets the whole message.
 */
export class SessionDeltas {
  /** The message that the agent writes. */
  private current: MessageDraft | undefined;
  /** The message before it, until it is stored. The rest of its text goes first. */
  private completed: MessageDraft | undefined;
  private readonly sender: DeltaSender;

  constructor(
    private readonly session: HostedSession,
    private readonly dependencies: SessionDeltasDependencies,
  ) {
    this.sender = new DeltaSender(
      session,
      {
        hasPart: () => this.findDraft() !== undefined,
        takePart: () => this.takePart(),
        findConnection: () => this.findConnection(),
      },
      dependencies.onProblem,
    );
  }

  addText(place: DraftPlace, text: string): void {
    if (this.current?.place.localId !== place.localId) this.current = new MessageDraft(place);
    this.current.addText(text);
    this.scheduleDelta();
  }

  /** The message is on its way to the history. Until it is there, the rest of its text goes to those who read now. */
  completeMessage(localId: string): void {
    if (this.current?.place.localId !== localId) return;
    this.completed = this.findConnection() ? this.current : undefined;
    this.current = undefined;
  }

  /** Sends nothing more of a message that is stored. */
  discardMessage(localId: string): void {
    if (this.completed?.place.localId === localId) this.completed = undefined;
  }

  /** Sends waiting text soon, if somebody reads it. */
  scheduleDelta(): void {
    this.sender.scheduleDelta();
  }

  private takePart(): DeltaPart {
    const draft = this.findDraft()!;
    return { ...draft.place, ...draft.takeDelta(), mediaType: DELTA_TEXT_MEDIA_TYPE };
  }

  private findConnection() {
    return this.dependencies.liveOutput.findSessionConnection(this.session.id);
  }

  /** Returns the message of which text waits. */
  private findDraft(): MessageDraft | undefined {
    return [this.completed, this.current].find((draft) => draft?.hasText);
  }
}

import type { MessageParams, RelayRequest } from '@external-api/protocol';
import { formatUserMessage } from '../attachments/attached-file';
import type { AttachmentReader } from '../attachments/attachment-reader';
import type { TurnAttachment, TurnPrompt } from '../attachments/turn-prompt';
import { CommandError } from '../exec/command-error';
import type { HistoryWriter } from '../history/history-writer';
import type { Turn } from './turn';
import type { Precedence, TurnQueue } from './turn-queue';
import type { TurnStore } from './turn-store';

/** Open turns of all sessions, which bounds the files of the journal and the memory that callers can fill. */
const MAX_OPEN_TURNS = 64;

interface AcceptanceOptions {
  claimPrecedence?: () => Precedence;
  isAnsweredLater?: boolean;
  files?: readonly TurnAttachment[];
  signal?: AbortSignal;
}

/** Accepts messages: each becomes a turn that survives a restart, and is queued in its session. */
export class TurnAcceptance {
  /** Ids of calls that are about to become turns. */
  private readonly reservations = new Set<string>();

  constructor(
    private readonly store: TurnStore,
    private readonly attachmentReader: AttachmentReader,
    private readonly history: Pick<HistoryWriter, 'isFull'>,
    private readonly onProblem: (problem: string) => void,
  ) {}

  /**
   * Reserves one of the machine's open turns for a call, which may reserve it twice.
   * @returns a function that releases the reservation
   * @throws CommandError `busy` when the machine has too many open turns, or too many messages for the service
   */
  reserveTurn(requestId: string): () => void {
    if (this.reservations.has(requestId)) return () => undefined;
    if (this.history.isFull)
      throw new CommandError('busy', 'The history cannot be written: too many messages are pending.');
    // A turn that was created counts once until its reservation is released.
    const takenPlaces = new Set([...this.reservations, ...this.store.openTurns.map((turn) => turn.requestId)]);
    if (takenPlaces.size >= MAX_OPEN_TURNS)
      throw new CommandError(
        'busy',
        `The machine has ${MAX_OPEN_TURNS} open turns. It takes another message when one of them ends or is cancelled.`,
      );
    this.reservations.add(requestId);
    return () => void this.reservations.delete(requestId);
  }

  /** Reads the attachments of a message, see {@link AttachmentReader.readParams}. */
  readFiles(attachments: MessageParams['attachments'], signal?: AbortSignal): Promise<TurnAttachment[]> {
    return this.attachmentReader.readParams(attachments, signal);
  }

  /**
   * Returns the turn of a relayed call. Resolves once the turn is in the journal and its message in the outbox, so that
   * the call may be answered. The same call never begins a second turn.
   * @param claimPrecedence of a turn that goes before those that wait: called when nothing but a full disk can stop the
   *   turn, which doesn't begin if it throws
   * @param isAnsweredLater whether the caller lets both survive a power failure before the answer
   * @param files the attachments, if they have been read before
   * @param signal stops the reading of attachments
   * @throws CommandError `busy` when the session's queue is full, the machine has too many open turns, or too many
   *   messages wait for the service, or the journal can't be written, and the codes of `resolveFolder` of the session
   *   and of {@link AttachmentReader.readParams}; nothing was done, unless `claimPrecedence` has done it
   */
  async acceptMessage(
    queue: TurnQueue,
    request: Pick<RelayRequest, 'requestId' | 'deadline' | 'caller'>,
    message: Pick<MessageParams, 'content' | 'attachments'>,
    options: AcceptanceOptions = {},
  ): Promise<Turn> {
    const knownTurn = this.store.findTurn(request.requestId);
    if (knownTurn) return knownTurn;
    const releaseTurn = this.reserveTurn(request.requestId);
    const freePlace = queue.reservePlace(options.claimPrecedence !== undefined);
    try {
      if (!freePlace) throw new CommandError('busy', 'The session has too many queued messages. Try again later.');
      return await this.createTurn(queue, request, message, options);
    } finally {
      freePlace?.();
      releaseTurn();
    }
  }

  /** Queues the turns of an earlier run that were not prompted. */
  async resumeTurns(findQueue: (sessionId: string) => TurnQueue | undefined): Promise<void> {
    for (const turn of this.store.waitingTurns) {
      const queue = findQueue(turn.sessionId);
      // The entry may be damaged, or of another data key.
      const prompt = await queue?.session.openPrompt(turn).catch(() => undefined);
      if (!queue || !prompt) {
        await this.store.loseTurn(turn);
        continue;
      }
      queue.session.nameByMessage(prompt.text);
      // The program may have ended before the message was in the outbox. Its localId makes a repetition idempotent.
      await this.appendUserMessage(queue, turn, prompt);
      await queue.enqueueTurn(turn);
    }
  }

  private async createTurn(
    queue: TurnQueue,
    request: Pick<RelayRequest, 'requestId' | 'deadline' | 'caller'>,
    { content: text, attachments }: Pick<MessageParams, 'content' | 'attachments'>,
    { claimPrecedence, isAnsweredLater = false, files, signal }: AcceptanceOptions,
  ): Promise<Turn> {
    const { session } = queue;
    await session.resolveFolder().catch((error: Error) => {
      this.onProblem(`A message to the session "${session.hosted.tag}" is refused: ${error.message}`);
      throw error;
    });
    const prompt = { text, attachments: files ?? (await this.readFiles(attachments, signal)) };
    const sealedPrompt = await session.sealPrompt(request.requestId, prompt);
    const precedence = claimPrecedence?.();
    const turn = await this.store
      .createTurn(request, session.id, sealedPrompt, { isFirst: precedence !== undefined, isSynced: !isAnsweredLater })
      .catch((error: Error) => {
        // A queued message waits until the disk has space again.
        throw new CommandError('busy', `The journal cannot be written: ${error.message}`);
      });
    session.nameByMessage(text);
    await this.appendUserMessage(queue, turn, prompt);
    await queue.enqueueTurn(turn, precedence);
    if (!isAnsweredLater) await session.history.syncPendingEntries();
    return turn;
  }

  private async appendUserMessage({ session }: TurnQueue, turn: Turn, prompt: TurnPrompt): Promise<void> {
    const text = formatUserMessage(turn, prompt);
    const { stored } = await session.history.appendTurnMessage(turn, 'user', { role: 'user', text });
    turn.messageStored = stored;
  }
}

import type { AccountApi } from '../content/account-api';
import type { TurnRecord } from '../content/records';
import type { MessageWindow } from './message-window';

/** Open turns are the newest ones: a device holds few. */
const NEWEST_TURNS = 10;
const PAGE_SIZE = 200;
/** Pages that are read at once. Of a session with more turns, messages far back are shown without theirs. */
const MAX_PAGES = 5;

/** Reads the turns of one session: the newest ones again and again, and those of earlier messages once. */
export class TurnReader {
  private readonly turns = new Map<string, TurnRecord>();
  private newestTurns: readonly TurnRecord[] = [];
  /** Cursor of the turns before the known ones; null at the end. */
  private earlierCursor: string | null = null;
  private readonly path: string;

  constructor(
    private readonly api: AccountApi,
    sessionId: string,
  ) {
    this.path = `/v1/control/sessions/${sessionId}/turns`;
  }

  get newest(): readonly TurnRecord[] {
    return this.newestTurns;
  }

  /** All turns that have been read, by their ids. */
  get known(): ReadonlyMap<string, TurnRecord> {
    return new Map(this.turns);
  }

  /** @throws ServiceError, UnreachableError */
  async readNewest(): Promise<void> {
    const { data, nextCursor } = await this.api.getPage<TurnRecord>(this.path, { limit: NEWEST_TURNS });
    // After a long outage, turns are missing between the newest ones and those that are known.
    if (!data.some(({ id }) => this.turns.has(id))) {
      this.turns.clear();
      this.earlierCursor = nextCursor;
    }
    this.newestTurns = data;
    this.addTurns(data);
  }

  /**
   * Reads on until the turns of these messages are known. Returns whether there were others than the known ones.
   * @throws ServiceError, UnreachableError
   */
  async readTurnsOf({ messages }: MessageWindow): Promise<boolean> {
    // The turns of later messages are newer, so that they are known as well.
    const turnId = messages.find((message) => message.turnId !== null)?.turnId;
    let pages = 0;
    while (turnId && !this.turns.has(turnId) && this.earlierCursor !== null && pages < MAX_PAGES) {
      const parameters = { cursor: this.earlierCursor, limit: PAGE_SIZE };
      const { data, nextCursor } = await this.api.getPage<TurnRecord>(this.path, parameters);
      this.addTurns(data);
      this.earlierCursor = nextCursor;
      pages++;
    }
    return pages > 0;
  }

  private addTurns(read: readonly TurnRecord[]): void {
    for (const turn of read) this.turns.set(turn.id, turn);
  }
}

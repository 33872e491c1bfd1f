/** Active sessions with an agent per machine. */
export const MAX_SESSIONS = 64;

/** Tags and places of sessions from the arrival of their call until its answer. */
export class SessionReservations {
  private readonly tags = new Set<string>();
  private readonly tagsWithPlace = new Set<string>();

  /** @param listActiveTags tags of the sessions that have a place already */
  constructor(private readonly listActiveTags: () => string[]) {}

  /** Returns false if another call is starting a session with this tag. */
  reserveTag(tag: string): boolean {
    if (this.tags.has(tag)) return false;
    this.tags.add(tag);
    return true;
  }

  /** A session that is active and has a reservation counts once. */
  get isFull(): boolean {
    return new Set([...this.tagsWithPlace, ...this.listActiveTags()]).size >= MAX_SESSIONS;
  }

  reservePlace(tag: string): void {
    this.tagsWithPlace.add(tag);
  }

  /** Releases the tag and its place. */
  release(tag: string): void {
    this.tags.delete(tag);
    this.tagsWithPlace.delete(tag);
  }
}

import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { decodeText, openArtifact, openDataKey } from '../content/content-opener';
import { isFinalError } from '../content/coalesced-refresh';
import type { ArtifactMetadata, ArtifactRecord, TurnRecord } from '../content/records';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { formatArtifactTitle, parseTurnTag } from './artifact-title';

/** Larger patches are not read for their titles. */
const MAX_PATCH_BYTES = 200_000;
const TURN_PAGE_SIZE = 200;
/** Turns of a session with more have no numbers here. */
const MAX_TURNS = 1_000;
/** Waits after failures that may pass, such as too many calls. */
const RETRY_DELAYS_MS = [2_000, 10_000, 60_000];

/** Numbers the turns of sessions, each of which it reads once. */
export class TurnNumberReader {
  private readonly turnIds = new Map<string, Promise<readonly string[]>>();

  constructor(private readonly api: AccountApi) {}

  /** Returns the number of a turn in its session, from 1, or null. @throws ServiceError, UnreachableError */
  async readTurnNumber(sessionId: string, turnId: string): Promise<number | null> {
    let ids = await this.readTurnIds(sessionId);
    // A turn that has ended since.
    if (!ids.includes(turnId)) {
      this.turnIds.delete(sessionId);
      ids = await this.readTurnIds(sessionId);
    }
    const index = ids.indexOf(turnId);
    return index === -1 || ids.length >= MAX_TURNS ? null : ids.length - index;
  }

  /** Returns the IDs of the session's turns, newest first. */
  private readTurnIds(sessionId: string): Promise<readonly string[]> {
    const known = this.turnIds.get(sessionId);
    if (known) return known;
    const path = `/v1/control/sessions/${sessionId}/turns`;
    const reading = this.api
      .getAll<TurnRecord>(path, { limit: TURN_PAGE_SIZE }, MAX_TURNS)
      .then((turns) => turns.map(({ id }) => id));
    this.turnIds.set(sessionId, reading);
    reading.catch(() => this.turnIds.delete(sessionId));
    return reading;
  }
}

/** Reads what titles of artifacts say, one after the other, each once. */
export class ArtifactTitleReader {
  private readonly titles = new Map<string, Promise<string>>();
  private readonly turnNumbers: TurnNumberReader;
  private lastRead: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly api: AccountApi,
    private readonly keys: AccountKeys | null,
  ) {
    this.turnNumbers = new TurnNumberReader(api);
  }

  /** Returns the title, without what can't be read. */
  readTitle({ id, version, tag, sessionId, sizeBytes }: ArtifactMetadata): Promise<string> {
    const key = `${id} ${version}`;
    const known = this.titles.get(key);
    if (known) return known;
    const reading = this.lastRead.then(async () => {
      const parsed = parseTurnTag(tag);
      if (!parsed) return formatArtifactTitle(tag, null, null);
      const readNumber = () => this.turnNumbers.readTurnNumber(sessionId!, parsed.turnId);
      const number = sessionId && (await readPatiently(readNumber));
      const hasPatch = parsed.kind === 'patch' && sizeBytes <= MAX_PATCH_BYTES;
      const patch = hasPatch ? await readPatiently(() => this.readPatch(id)) : null;
      return formatArtifactTitle(tag, number || null, patch);
    });
    this.lastRead = reading;
    this.titles.set(key, reading);
    return reading;
  }

  private async readPatch(id: string): Promise<string | null> {
    if (!this.keys) return null;
    const artifact = await this.api.getRecord<ArtifactRecord>(`/v1/artifacts/${id}`);
    const dataKey = await openDataKey(this.keys, artifact.dataKey);
    return decodeText((await openArtifact(this.keys.accountId, dataKey, artifact)).bytes);
  }
}

/** Returns null if it can't be read, at once if a repetition would fail as well. */
async function readPatiently<T>(read: () => Promise<T>): Promise<T | null> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await read();
    } catch (error) {
      const mayPass = error instanceof UnreachableError || (error instanceof ServiceError && !isFinalError(error));
      if (!mayPass) return null;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return read().catch(() => null);
}

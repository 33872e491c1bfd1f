import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TurnOrigin, TurnReport } from '@external-api/protocol';
import { ApiResponseError } from '../client-errors';
import type { SignedInDevice } from '../signed-in-device';
import type { HistoryEntry } from './history-outbox';

/** From this number on, turns are announced again rather than remembered. */
const MAX_REMEMBERED_TURNS = 1_000;
/** How long a new turn may take to begin before it is reported as queued. Most begin within a few ms. */
const START_GRACE_MS = 100;

/** Returns a turn's first report. The service ignores it if it knows the turn already. */
export const createFirstTurnReport = (origin?: TurnOrigin): TurnReport => ({
  revision: 1,
  state: 'queued',
  stopReason: null,
  errorCode: null,
  pendingPermissions: 0,
  usage: null,
  startedAt: null,
  endedAt: null,
  ...(origin === 'agent' && { origin }),
});

/** Returns the report without the members of `turn.details`. */
export function removeDetails({ usage, ...others }: TurnReport): TurnReport {
  const { cost: _cost, context: _context, lastActivityAt: _lastActivityAt, ...report } = others;
  if (!usage) return { ...report, usage };
  const { inputTokens, outputTokens, totalTokens } = usage;
  return { ...report, usage: { inputTokens, outputTokens, totalTokens } };
}

/** Returns the report for a release that refuses what it doesn't know. */
function createOlderReport(report: TurnReport): TurnReport {
  const { origin: _origin, ...others } = removeDetails(report);
  const isNewCode = report.errorCode === 'agent_session_unavailable';
  return { ...others, errorCode: isNewCode ? 'agent_error' : report.errorCode };
}

/**
 * Writes a report, without what an older release doesn't know if it is refused: a device that is connected to a newer
 * instance may reach an older one, for example during a deploy.
 * @throws ApiResponseError, UnreachableError
 */
export async function putTurnReport(device: SignedInDevice, path: string, report: TurnReport): Promise<void> {
  await device.callApi('PUT', path, report).catch((error: unknown) => {
    const olderReport = createOlderReport(report);
    const isRefused = error instanceof ApiResponseError && error.status === 400;
    if (!isRefused || isDeepStrictEqual(olderReport, report)) throw error;
    return device.callApi('PUT', path, olderReport);
  });
}

type TurnOfEntry = Pick<HistoryEntry, 'sessionId' | 'turnOrigin'> & { turnLocalId: string };

/**
 * Makes turns known to the service before their messages, which it refuses otherwise. The reports of states can't be
 * relied on for this: they may be delayed, and the messages may be those of an earlier run.
 */
export class TurnAnnouncer {
  private readonly announcedTurns = new Set<string>();
  private readonly pendingRequests = new Map<string, Promise<void>>();
  /** New turns, whose start may announce them. */
  private readonly newTurns = new Map<string, { due: Promise<void>; confirm: () => void }>();

  constructor(private readonly device: SignedInDevice) {}

  /** @throws ApiResponseError, UnreachableError */
  async announceTurns(
    entries: readonly Pick<HistoryEntry, 'sessionId' | 'turnLocalId' | 'turnOrigin'>[],
  ): Promise<void> {
    for (const { sessionId, turnLocalId, turnOrigin } of entries)
      if (turnLocalId !== undefined) await this.announceTurn({ sessionId, turnLocalId, turnOrigin });
  }

  /** Leaves the announcement of a new turn to the report of its start, if that is stored soon. */
  async expectStart(turnLocalId: string): Promise<void> {
    let confirm = (): void => undefined;
    const confirmed = new Promise<void>((resolve) => (confirm = resolve));
    const due = Promise.race([confirmed, sleep(START_GRACE_MS)]);
    this.newTurns.set(turnLocalId, { due, confirm });
    await due;
    this.newTurns.delete(turnLocalId);
  }

  /** Resolves when the service has stored the start of a turn, or the turn is to be announced without it. */
  async waitForStart(turnLocalId: string): Promise<void> {
    await this.newTurns.get(turnLocalId)?.due;
  }

  /** Remembers that the service has stored the start of a turn. */
  confirmStart(turnLocalId: string): void {
    this.rememberTurn(turnLocalId);
    this.newTurns.get(turnLocalId)?.confirm();
  }

  /**
   * Sends the first report of a turn, unless the service has it. Callers at the same time share one request.
   * @throws ApiResponseError, UnreachableError
   */
  async announceTurn(turn: TurnOfEntry): Promise<void> {
    const { turnLocalId } = turn;
    await this.waitForStart(turnLocalId);
    if (this.announcedTurns.has(turnLocalId)) return;
    const request = this.pendingRequests.get(turnLocalId) ?? this.sendFirstReport(turn);
    this.pendingRequests.set(turnLocalId, request);
    await request.finally(() => this.pendingRequests.delete(turnLocalId));
  }

  /** Announces these turns again with their next messages: a service that was restored from a backup has lost them. */
  forgetTurns(entries: readonly Pick<HistoryEntry, 'turnLocalId'>[]): void {
    for (const { turnLocalId = '' } of entries) this.announcedTurns.delete(turnLocalId);
  }

  /** Announces all turns again with their next messages. */
  forgetAllTurns(): void {
    this.announcedTurns.clear();
  }

  private async sendFirstReport({ sessionId, turnLocalId, turnOrigin }: TurnOfEntry): Promise<void> {
    const path = `/v1/sessions/${encodeURIComponent(sessionId)}/turns/${encodeURIComponent(turnLocalId)}`;
    await putTurnReport(this.device, path, createFirstTurnReport(turnOrigin));
    this.rememberTurn(turnLocalId);
  }

  private rememberTurn(turnLocalId: string): void {
    if (this.announcedTurns.size >= MAX_REMEMBERED_TURNS) this.announcedTurns.clear();
    this.announcedTurns.add(turnLocalId);
  }
}

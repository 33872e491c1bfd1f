import type { AccountApi } from '../content/account-api';
import type { TurnRecord } from '../content/records';
import type { OpenedMessage } from './opened-message';
import { TurnReader } from './turn-reader';

describe('the reader of turns', () => {
  let turnIds: string[];
  let limits: number[];
  let reader: TurnReader;

  /** Newest first, with the number of turns that came before as the cursor. */
  const api = {
    getPage: (_path: string, { limit, cursor }: { limit: number; cursor?: string }) => {
      limits.push(limit);
      const start = cursor === undefined ? 0 : turnIds.length - Number(cursor);
      const end = Math.min(start + limit, turnIds.length);
      const data = turnIds.slice(start, end).map((id) => ({ id }) as TurnRecord);
      return Promise.resolve({ data, nextCursor: end < turnIds.length ? String(turnIds.length - end) : null });
    },
  } as unknown as AccountApi;
  const addTurns = (count: number) => {
    const first = turnIds.length;
    turnIds = [...Array.from({ length: count }, (_, index) => `t${first + count - 1 - index}`), ...turnIds];
  };
  const readTurnsOf = (...ids: (string | null)[]) =>
    reader.readTurnsOf({ messages: ids.map((turnId) => ({ turnId }) as OpenedMessage), lastSeq: ids.length });

  beforeEach(() => {
    [turnIds, limits] = [[], []];
    reader = new TurnReader(api, 'ses_1');
  });

  it('reads the newest turns again, and earlier ones once, up to those of the first message', async () => {
    addTurns(500);
    await reader.readNewest();
    expect(await readTurnsOf(null, 't495', 't499')).toBe(false);
    expect(await readTurnsOf(null, 't400', 't499')).toBe(true);
    expect(await readTurnsOf('t300')).toBe(false);
    addTurns(1);
    await reader.readNewest();
    expect(reader.newest[0]!.id).toBe('t500');
    expect([reader.known.has('t500'), reader.known.size]).toEqual([true, 211]);
    expect(limits).toEqual([10, 200, 10]);
  });

  it('leaves no gap after an outage', async () => {
    addTurns(20);
    await reader.readNewest();
    addTurns(15);
    await reader.readNewest();
    await readTurnsOf('t18');
    expect(turnIds.every((id) => reader.known.has(id))).toBe(true);
  });

  it('reads nothing for messages without turns, and ends at the first turn and after a thousand turns', async () => {
    addTurns(30);
    await reader.readNewest();
    expect([await readTurnsOf(), await readTurnsOf(null)]).toEqual([false, false]);
    expect(await readTurnsOf('deleted')).toBe(true);
    expect(await readTurnsOf('deleted')).toBe(false);
    addTurns(2_000);
    await reader.readNewest();
    limits.length = 0;
    await readTurnsOf('t0');
    expect(limits).toHaveLength(5);
  });
});

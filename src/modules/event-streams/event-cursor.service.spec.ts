import { createSecretKey } from 'node:crypto';
import { Clock, DAY } from '../../common/clock';
import type { DerivedKeyProvider } from '../../core/config';
import { CursorService } from '../../core/database';
import { EventCursorService } from './event-cursor.service';
import type { AccountPlace, SessionPlace } from './event-log.repository';

const NOW = 1_788_255_000_000;
const last = { sessionId: 'ses_1', position: 3, id: 'evt_3' };

describe('the cursors of event streams', () => {
  const keys = { getKeys: () => [createSecretKey(Buffer.alloc(32, 1))] } as unknown as DerivedKeyProvider;
  const cursors = new EventCursorService(new CursorService(keys), Object.assign(new Clock(), { now: () => NOW }));

  const ofAccount = (change: Partial<AccountPlace> = {}): AccountPlace => ({
    accountId: 'acc_1',
    after: '10:20:',
    at: NOW,
    page: null,
    ...change,
  });
  const ofSession = (change: Partial<SessionPlace> = {}): SessionPlace => ({
    accountId: 'acc_1',
    sessionId: 'ses_1',
    after: 5,
    at: NOW,
    ...change,
  });
  const expired = (lastEventId: string) =>
    expect.objectContaining({ code: 'stream_expired', extras: { members: { lastEventId } } }) as Error;
  const invalid = expect.objectContaining({ code: 'invalid_cursor' }) as Error;

  it.each([
    ['an account', ofAccount()],
    ['a page of an account', ofAccount({ page: { until: '10:20:', untilAt: NOW - 1, last } })],
    ['a session', ofSession()],
  ])('name the place in %s', (_, place) => {
    expect(cursors.decodePlace(cursors.encodePlace(place, 'g1'), place, 'g1')).toEqual(place);
  });

  it.each([
    ['account', ofAccount, ofAccount()],
    ['session', ofSession, ofSession({ after: 6 })],
  ])('of an %s are valid for 24 hours and not longer', (_, create, present) => {
    const oldest = cursors.encodePlace(create({ at: NOW - DAY }), 'g1');
    expect(cursors.decodePlace(oldest, present, 'g1')).toEqual(create({ at: NOW - DAY }));
    const older = cursors.encodePlace(create({ at: NOW - DAY - 1 }), 'g1');
    expect(() => cursors.decodePlace(older, present, 'g1')).toThrow(expired(older));
  });

  it('of a session stay valid while no event follows, and stand for the present place then', () => {
    const present = ofSession();
    const older = cursors.encodePlace(ofSession({ at: NOW - DAY - 1 }), 'g1');
    expect(cursors.decodePlace(older, present, 'g1')).toEqual(present);
    // The same position in another history.
    expect(() => cursors.decodePlace(older, present, 'g2')).toThrow(expired(older));
  });

  it('expire with the history that they were read in', () => {
    const cursor = cursors.encodePlace(ofAccount(), 'g1');
    expect(() => cursors.decodePlace(cursor, ofAccount(), 'g2')).toThrow(expired(cursor));
  });

  it.each([
    ['an account', ofAccount({ after: '10:21:' }), ofAccount()],
    ['a page', ofAccount({ page: { until: '10:21:', untilAt: NOW, last } }), ofAccount()],
    ['a session', ofSession({ after: 6 }), ofSession()],
  ])('expire when the place in %s is ahead of the present', (_, ahead, present) => {
    const cursor = cursors.encodePlace(ahead, 'g1');
    expect(() => cursors.decodePlace(cursor, present, 'g1')).toThrow(expired(cursor));
  });

  it.each([
    ['a session', ofSession(), ofAccount()],
    ['an account', ofAccount(), ofSession()],
    ['another session', ofSession({ sessionId: 'ses_2' }), ofSession()],
    ['another account', ofAccount({ accountId: 'acc_2' }), ofAccount()],
  ])('of %s are invalid elsewhere', (_, place, present) => {
    const cursor = cursors.encodePlace(place, 'g1');
    expect(() => cursors.decodePlace(cursor, present, 'g1')).toThrow(invalid);
    expect(() => cursors.decodePlace(`${cursor.slice(0, -4)}AAAA`, place, 'g1')).toThrow(invalid);
  });
});

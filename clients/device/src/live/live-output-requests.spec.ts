import { WATCH_LEASE_MS } from '@external-api/protocol';
import { LiveOutputRequests, type LiveConnection } from './live-output-requests';

const createConnection = (): LiveConnection => ({ isCongested: false, sendLiveMessage: () => undefined });

let now: number;
let requests: LiveOutputRequests;
let connection: LiveConnection;

beforeEach(() => {
  now = 1_800_000_000_000;
  requests = new LiveOutputRequests({ now: () => now }, (id) => id.startsWith('ses_own'));
  connection = createConnection();
});

const watchSession = (until: number, from = connection) =>
  requests.applyTurnWatch({ sessionId: 'ses_own', until }, from);
const watchInvocation = (invocationId: string, until = now + WATCH_LEASE_MS) =>
  requests.applyInvocationWatch({ invocationId, until }, connection);

describe('a lease', () => {
  it('holds until its end by the time of the service, and after a renewal until the new end', () => {
    watchSession(now + 10_000);
    now += 9_999;
    expect(requests.findSessionConnection('ses_own')).toBe(connection);
    watchSession(now + 10_000);
    now += 9_999;
    expect(requests.findSessionConnection('ses_own')).toBe(connection);
    now += 1;
    expect(requests.findSessionConnection('ses_own')).toBeUndefined();
  });

  it('lasts as long as by the clock of the service, which may have been set', () => {
    for (const stepMs of [-3_600_000, 3_600_000]) {
      const serverTime = now + stepMs;
      requests.applyTurnWatch({ sessionId: 'ses_own', until: serverTime + 10_000, serverTime }, connection);
      now += 9_999;
      expect(requests.findSessionConnection('ses_own')).toBe(connection);
      now += 1;
      expect(requests.findSessionConnection('ses_own')).toBeUndefined();
    }
  });

  it('lasts no longer than the protocol says, whatever the service asks for', () => {
    watchSession(now + 3_600_000);
    now += WATCH_LEASE_MS - 1;
    expect(requests.findSessionConnection('ses_own')).toBe(connection);
    now += 1;
    expect(requests.findSessionConnection('ses_own')).toBeUndefined();
  });

  it('is ended by a time that is over, and can be shortened', () => {
    watchSession(now + 10_000);
    watchSession(now);
    expect(requests.findSessionConnection('ses_own')).toBeUndefined();
    watchSession(now + 10_000);
    watchSession(now + 5_000);
    now += 5_000;
    expect(requests.findSessionConnection('ses_own')).toBeUndefined();
  });

  it('is for one session or invocation', () => {
    watchSession(now + 10_000);
    watchInvocation('inv_1');
    expect(requests.findSessionConnection('ses_own2')).toBeUndefined();
    expect(requests.findInvocationConnection('inv_2')).toBeUndefined();
    expect(requests.findInvocationConnection('inv_1')).toBe(connection);
  });

  it('is not for sessions of other devices', () => {
    requests.applyTurnWatch({ sessionId: 'ses_other', until: now + 10_000 }, connection);
    expect(requests.findSessionConnection('ses_other')).toBeUndefined();
  });

  it('ends with its connection', () => {
    watchSession(now + 10_000);
    watchInvocation('inv_1');
    requests.removeConnection(connection);
    expect(requests.findSessionConnection('ses_own')).toBeUndefined();
    expect(requests.findInvocationConnection('inv_1')).toBeUndefined();
  });

  it('of a new connection counts, and the old one neither ends it nor takes it over', () => {
    const newConnection = createConnection();
    watchSession(now + 10_000);
    watchSession(now + 10_000, newConnection);
    expect(requests.findSessionConnection('ses_own')).toBe(newConnection);
    watchSession(now + 20_000);
    expect(requests.findSessionConnection('ses_own')).toBe(newConnection);
    watchSession(0);
    requests.removeConnection(connection);
    expect(requests.findSessionConnection('ses_own')).toBe(newConnection);
  });

  it('tells listeners that it holds, and not that it ends', () => {
    const watched: string[] = [];
    requests.onSessionWatched((sessionId) => watched.push(sessionId));
    watchSession(now + 10_000);
    watchSession(now + 20_000);
    watchSession(now);
    expect(watched).toEqual(['ses_own', 'ses_own']);
  });
});

it.each([
  ['no object', null],
  ['a list', []],
  ['no time', { sessionId: 'ses_own', invocationId: 'inv_1' }],
  ['a time as text', { sessionId: 'ses_own', invocationId: 'inv_1', until: '1900000000000' }],
  ['a fraction', { sessionId: 'ses_own', invocationId: 'inv_1', until: 1_900_000_000_000.5 }],
  ['no number', { sessionId: 'ses_own', invocationId: 'inv_1', until: NaN }],
  ['a time that no date has', { sessionId: 'ses_own', invocationId: 'inv_1', until: 1e300 }],
  ['no id', { until: 1_900_000_000_000 }],
  ['ids of another type', { sessionId: ['ses_own'], invocationId: { length: 5 }, until: 1_900_000_000_000 }],
  ['ids with spaces', { sessionId: 'ses_own x', invocationId: 'inv_1 x', until: 1_900_000_000_000 }],
])('a request that has %s is ignored', (_, payload) => {
  const watched = jest.fn();
  requests.onSessionWatched(watched);
  requests.applyTurnWatch(payload, connection);
  requests.applyInvocationWatch(payload, connection);
  expect(watched).not.toHaveBeenCalled();
  for (const id of ['inv_1', 'inv_1 x']) expect(requests.findInvocationConnection(id)).toBeUndefined();
});

it('keeps a limited number of leases, and room for new ones when the old ones have expired', () => {
  for (let number = 0; number < 1_000; number++) watchInvocation(`inv_${number}`);
  const isWatched = (number: number) => requests.findInvocationConnection(`inv_${number}`) !== undefined;
  expect([255, 256, 999].map(isWatched)).toEqual([true, false, false]);
  now += WATCH_LEASE_MS - 1;
  watchInvocation('inv_255', now + WATCH_LEASE_MS);
  now += 1;
  watchInvocation('inv_999', now + WATCH_LEASE_MS);
  expect([254, 255, 999].map(isWatched)).toEqual([false, true, true]);
});

import { quantilesOf, Tally } from './second';

describe('quantilesOf', () => {
  it('names the value below which half, and below which 99 of a hundred lie', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantilesOf(values)).toEqual({ count: 100, p50: 51, p99: 100, max: 100 });
  });

  it('knows nothing of no calls', () => {
    expect(quantilesOf([])).toBeNull();
  });
});

describe('Tally', () => {
  it('gives a second away once', () => {
    const tally = new Tally();
    tally.answered('GET /me', 5);
    tally.answered('GET /sessions', 7);
    tally.failed('timeout');
    tally.failed('timeout');
    tally.sentLate(3);
    expect(tally.take(4)).toMatchObject({
      answered: 2,
      all: { count: 2, max: 7 },
      kinds: { 'GET /me': { p50: 5 } },
      errors: { timeout: 2 },
      inFlight: 4,
      sentLateMs: 3,
    });
    expect(tally.take(0)).toEqual({
      answered: 0,
      all: null,
      kinds: {},
      errors: {},
      inFlight: 0,
      sentLateMs: 0,
    });
  });
});

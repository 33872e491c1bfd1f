import type { Config } from './config';
import { KeyRing } from './key-ring';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);

function ring(...appSecrets: [string, ...string[]]): KeyRing {
  return new KeyRing({ appSecrets } as unknown as Config);
}

describe('KeyRing', () => {
  it('gives each purpose a key of its own, of 32 bytes, the same every time', () => {
    const [challenge] = ring(OLD).keys('challenge');
    expect(challenge).toHaveLength(32);
    expect(ring(OLD).keys('challenge')[0]).toEqual(challenge);
    expect(ring(OLD).keys('cursor')[0]).not.toEqual(challenge);
    expect(ring(NEW).keys('challenge')[0]).not.toEqual(challenge);
  });

  it('keeps the keys of earlier secrets for opening, the newest first', () => {
    expect(ring(NEW, OLD).keys('challenge')).toEqual([
      ring(NEW).keys('challenge')[0],
      ring(OLD).keys('challenge')[0],
    ]);
  });

  it("binds a key to a caller's secret too", () => {
    const [mine] = ring(OLD).keysWith('answer', 'my key');
    expect(mine).not.toEqual(ring(OLD).keys('answer')[0]);
    expect(mine).not.toEqual(ring(OLD).keysWith('answer', 'your key')[0]);
    expect(ring(NEW, OLD).keysWith('answer', 'my key')[1]).toEqual(mine);
  });
});

import type { KeyObject } from 'node:crypto';
import type { Config } from './config';
import { KeyRing } from './key-ring';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);

function ring(...appSecrets: [string, ...string[]]): KeyRing {
  return new KeyRing({ appSecrets } as unknown as Config);
}

/** Key objects have no members to compare. */
const bytes = (keys: readonly KeyObject[]) => keys.map((key) => key.export().toString('hex'));

describe('KeyRing', () => {
  it('gives each purpose a key of its own, of 32 bytes, the same every time', () => {
    const [challenge] = bytes(ring(OLD).keys('challenge'));
    expect(challenge).toHaveLength(64);
    expect(bytes(ring(OLD).keys('challenge'))).toEqual([challenge]);
    expect(bytes(ring(OLD).keys('cursor'))).not.toEqual([challenge]);
    expect(bytes(ring(NEW).keys('challenge'))).not.toEqual([challenge]);
  });

  it('keeps the keys of earlier secrets for opening, the newest first', () => {
    const [newest, older] = bytes(ring(NEW, OLD).keys('challenge'));
    expect([newest]).toEqual(bytes(ring(NEW).keys('challenge')));
    expect([older]).toEqual(bytes(ring(OLD).keys('challenge')));
  });

  it("binds a key to a caller's secret too", () => {
    const [mine] = bytes(ring(OLD).keysWith('answer', 'my key'));
    expect(bytes(ring(OLD).keys('answer'))).not.toEqual([mine]);
    expect(bytes(ring(OLD).keysWith('answer', 'your key'))).not.toEqual([mine]);
    expect(bytes(ring(NEW, OLD).keysWith('answer', 'my key'))[1]).toEqual(mine);
  });
});

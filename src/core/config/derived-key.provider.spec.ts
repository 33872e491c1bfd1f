import type { KeyObject } from 'node:crypto';
import type { Config } from './config';
import { DerivedKeyProvider } from './derived-key.provider';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);

function createProvider(...appSecrets: [string, ...string[]]): DerivedKeyProvider {
  return new DerivedKeyProvider({ appSecrets } as unknown as Config);
}

/** Key objects have no members to compare. */
const toHex = (keys: readonly KeyObject[]) => keys.map((key) => key.export().toString('hex'));

describe('DerivedKeyProvider', () => {
  it('gives each purpose a key of its own, of 32 bytes, the same every time', () => {
    const [challenge] = toHex(createProvider(OLD).getKeys('challenge'));
    expect(challenge).toHaveLength(64);
    expect(toHex(createProvider(OLD).getKeys('challenge'))).toEqual([challenge]);
    expect(toHex(createProvider(OLD).getKeys('cursor'))).not.toEqual([challenge]);
    expect(toHex(createProvider(NEW).getKeys('challenge'))).not.toEqual([challenge]);
  });

  it('keeps the keys of earlier secrets for opening, the newest first', () => {
    const [newest, older] = toHex(createProvider(NEW, OLD).getKeys('challenge'));
    expect([newest]).toEqual(toHex(createProvider(NEW).getKeys('challenge')));
    expect([older]).toEqual(toHex(createProvider(OLD).getKeys('challenge')));
  });

  it("binds a key to a caller's secret too", () => {
    const [mine] = toHex(createProvider(OLD).deriveSaltedKeys('answer', 'my key'));
    expect(toHex(createProvider(OLD).getKeys('answer'))).not.toEqual([mine]);
    expect(toHex(createProvider(OLD).deriveSaltedKeys('answer', 'your key'))).not.toEqual([mine]);
    expect(toHex(createProvider(NEW, OLD).deriveSaltedKeys('answer', 'my key'))[1]).toEqual(mine);
  });
});

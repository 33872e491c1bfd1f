import { KeyRing, type Config } from '../../config';
import { SecretVault } from './secret-vault';

const vaultOf = (...appSecrets: [string, ...string[]]) =>
  new SecretVault(new KeyRing({ appSecrets } as unknown as Config));
const OLD = 'an old application secret, long enough';
const NEW = 'a new application secret, long enough';

describe('a sealed signing key', () => {
  const key = Buffer.from('a signing key of thirty-two byte');
  const sealed = vaultOf(OLD).seal(key, 'whk_1');

  it('opens with the secret that sealed it, also once another has come before it', () => {
    expect(vaultOf(OLD).open(sealed, 'whk_1')).toEqual(key);
    expect(vaultOf(NEW, OLD).open(sealed, 'whk_1')).toEqual(key);
    expect(vaultOf(NEW).open(sealed, 'whk_1')).toBeNull();
  });

  it('opens for its webhook alone, and not when it was changed', () => {
    expect(vaultOf(OLD).open(sealed, 'whk_2')).toBeNull();
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(vaultOf(OLD).open(changed, 'whk_1')).toBeNull();
    }
  });

  it('is another text each time, and shows nothing of the key', () => {
    const again = vaultOf(OLD).seal(key, 'whk_1');
    expect(again.equals(sealed)).toBe(false);
    expect(again.subarray(0, 8)).toEqual(sealed.subarray(0, 8));
    expect(sealed.includes(key)).toBe(false);
  });
});

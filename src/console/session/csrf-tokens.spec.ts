import { KeyRing } from '../../config';
import { CsrfTokens } from './csrf-tokens';

describe('CSRF tokens', () => {
  const withSecrets = (...appSecrets: string[]) => new CsrfTokens(new KeyRing({ appSecrets } as never));
  const tokens = withSecrets('a'.repeat(32));

  it('are good for the session that they were made for, and no other', () => {
    const token = tokens.issue('one');
    expect(tokens.isGood(token, 'one')).toBe(true);
    expect(tokens.isGood(token, 'two')).toBe(false);
  });

  it('are another each time', () => {
    expect(tokens.issue('one')).not.toBe(tokens.issue('one'));
  });

  it.each(['', '.', 'a', 'a.b.c', 'nonce.'])('are not good as %j', (token) => {
    expect(tokens.isGood(token, 'one')).toBe(false);
  });

  it('are not good with another nonce, another seal, or more behind it', () => {
    const [nonce, seal] = tokens.issue('one').split('.') as [string, string];
    for (const forged of [`x${nonce}.${seal}`, `${nonce}.A${seal.slice(1)}`, `${nonce}.${seal}.`]) {
      if (forged !== `${nonce}.${seal}`) expect(tokens.isGood(forged, 'one')).toBe(false);
    }
  });

  it('stay good while the secret that made them is still configured', () => {
    const token = tokens.issue('one');
    expect(withSecrets('b'.repeat(32), 'a'.repeat(32)).isGood(token, 'one')).toBe(true);
    expect(withSecrets('b'.repeat(32)).isGood(token, 'one')).toBe(false);
  });
});

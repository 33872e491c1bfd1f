import { DerivedKeyProvider } from '../../core/config';
import { CsrfTokenService } from './csrf-token.service';

describe('CSRF tokens', () => {
  const withSecrets = (...appSecrets: string[]) =>
    new CsrfTokenService(new DerivedKeyProvider({ appSecrets } as never));
  const tokens = withSecrets('a'.repeat(32));

  it('are good for the session that they were made for, and no other', () => {
    const token = tokens.issueToken('one');
    expect(tokens.isValidToken(token, 'one')).toBe(true);
    expect(tokens.isValidToken(token, 'two')).toBe(false);
  });

  it('are another each time', () => {
    expect(tokens.issueToken('one')).not.toBe(tokens.issueToken('one'));
  });

  it.each(['', '.', 'a', 'a.b.c', 'nonce.'])('are not good as %j', (token) => {
    expect(tokens.isValidToken(token, 'one')).toBe(false);
  });

  it('are not good with another nonce, another seal, or more behind it', () => {
    const [nonce, seal] = tokens.issueToken('one').split('.') as [string, string];
    for (const forged of [`x${nonce}.${seal}`, `${nonce}.A${seal.slice(1)}`, `${nonce}.${seal}.`]) {
      if (forged !== `${nonce}.${seal}`) expect(tokens.isValidToken(forged, 'one')).toBe(false);
    }
  });

  it('stay good while the secret that made them is still configured', () => {
    const token = tokens.issueToken('one');
    expect(withSecrets('b'.repeat(32), 'a'.repeat(32)).isValidToken(token, 'one')).toBe(true);
    expect(withSecrets('b'.repeat(32)).isValidToken(token, 'one')).toBe(false);
  });
});

import { hashSecretToken, isWellFormedToken, getTokenPrefix, generateSecretToken } from './secret-token';

describe('secret tokens', () => {
  it('are the prefix and 36 base62 characters, never the same twice', () => {
    const tokens = new Set(Array.from({ length: 500 }, () => generateSecretToken('svc_pat_')));
    expect(tokens.size).toBe(500);
    for (const token of tokens) expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{36}$/);
  });

  it('verify their own checksum', () => {
    for (let i = 0; i < 200; i++) expect(isWellFormedToken('svc_dev_', generateSecretToken('svc_dev_'))).toBe(true);
  });

  it('are refused with one character changed, a foreign prefix or a wrong length', () => {
    const token = generateSecretToken('svc_pat_');
    const flipped = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    expect(isWellFormedToken('svc_pat_', flipped)).toBe(false);
    expect(isWellFormedToken('svc_dev_', token)).toBe(false);
    expect(isWellFormedToken('svc_pat_', token + '0')).toBe(false);
    expect(isWellFormedToken('svc_pat_', '')).toBe(false);
  });

  it.each([
    ['0'.repeat(30), '2C8GjS'],
    ['A'.repeat(30), '0uCPlr'],
    ['abcdefghijABCDEFGHIJ0123456789', '2C2O59'],
  ])('match vectors computed outside this code base: %s → %s', (body, checksum) => {
    expect(isWellFormedToken('svc_oat_', `svc_oat_${body}${checksum}`)).toBe(true);
  });

  it('say what they are, when they are well-formed', () => {
    for (const prefix of ['svc_pat_', 'svc_ort_', 'svc_oapp_', 'svc_ocs_'] as const) {
      expect(getTokenPrefix(generateSecretToken(prefix))).toBe(prefix);
    }
    for (const token of [
      '',
      'svc_pat_',
      `${generateSecretToken('svc_oat_')}0`,
      generateSecretToken('svc_oat_').slice(8),
    ]) {
      expect(getTokenPrefix(token)).toBeNull();
    }
  });

  it('are kept as SHA-256', () => {
    expect(hashSecretToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

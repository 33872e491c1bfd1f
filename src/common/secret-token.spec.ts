import { hashSecretToken, isWellFormedToken, getTokenPrefix, generateSecretToken } from './secret-token';

describe('secret tokens', () => {
  it('are the prefix and 36 base62 characters, never the same twice', () => {
    const tokens = new Set(Array.from({ length: 500 }, () => generateSecretToken('svc_pat_')));
    expect(tokens.size).toBe(500);
    for (const token of tokens) expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{36}$/);
  });

  it('have a valid checksum', () => {
    for (let i = 0; i < 200; i++) expect(isWellFormedToken('svc_dev_', generateSecretToken('svc_dev_'))).toBe(true);
  });

  const genuine = 'svc_pat_abcdefghijABCDEFGHIJ01234567892C2O59';
  it.each([
    ['the token itself', genuine, true],
    ['another character in the body', genuine.replace('abc', 'abd'), false],
    ['two characters swapped', genuine.replace('abc', 'acb'), false],
    ['another case', genuine.replace('abc', 'abC'), false],
    ['another character in the checksum', genuine.replace(/9$/, '8'), false],
    ['a character too few', genuine.slice(0, -1), false],
    ['a character too many', `${genuine}0`, false],
    ['a line break at the end', `${genuine}\n`, false],
    ['a space in front', ` ${genuine}`, false],
    ['a hyphen in the body', genuine.replace('abc', 'ab-'), false],
    ['another prefix', genuine.replace('svc_pat_', 'svc_dev_'), false],
    ['an upper-case prefix', genuine.replace('svc_pat_', 'SVC_PAT_'), false],
    ['no prefix', genuine.slice('svc_pat_'.length), false],
    ['the prefix only', 'svc_pat_', false],
    ['nothing', '', false],
  ])('are well-formed only with their own checksum, prefix and length: %s', (_name, token, isWellFormed) => {
    expect(isWellFormedToken('svc_pat_', token)).toBe(isWellFormed);
  });

  it.each([
    ['0'.repeat(30), '2C8GjS'],
    ['A'.repeat(30), '0uCPlr'],
    ['abcdefghijABCDEFGHIJ0123456789', '2C2O59'],
  ])('have the CRC-32 of their body as checksum, in base62: %s has %s', (body, checksum) => {
    expect(isWellFormedToken('svc_oat_', `svc_oat_${body}${checksum}`)).toBe(true);
  });

  it('have a prefix that names their kind, or null if they are not well-formed', () => {
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

  it('are stored as their SHA-256 hash', () => {
    expect(hashSecretToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

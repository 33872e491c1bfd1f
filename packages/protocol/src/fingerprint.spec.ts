import { computeFingerprint, computeThumbprint } from './fingerprint';

// The example key of RFC 8037 appendix A.2, whose thumbprint is in A.3.
const rfc8037 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;

describe('keys', () => {
  it('have the RFC 7638 thumbprint', () => {
    expect(computeThumbprint(rfc8037)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('give a fingerprint of four groups of four that depends on both keys', () => {
    const x25519 = { kty: 'OKP', crv: 'X25519', x: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo' } as const;
    const print = computeFingerprint(rfc8037, x25519);
    expect(print).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    expect(computeFingerprint(rfc8037, { ...x25519, x: `A${x25519.x.slice(1)}` })).not.toBe(print);
  });
});

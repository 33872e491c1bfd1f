import { describeGrant, findReaders, getExpiry, nameGrantee, toGrantee } from './grant-words';
import type { KeyGrantRecord } from '../content/records';
import type { SharingProps } from './key-grants';

const NOW = 1_790_000_000_000;
const SHARING: SharingProps = {
  audience: 'https://host.example',
  tokens: [
    { id: 'tok_1', name: 'deploys', scopes: ['sessions:content'] },
    { id: 'tok_2', name: 'lists', scopes: ['sessions:read'] },
    { id: 'tok_3', name: 'files', scopes: ['artifacts:content'] },
  ],
  apps: [{ id: 'svc_oapp_1', name: 'No\u202etes', scopes: [] }],
};
const GRANT: KeyGrantRecord = {
  id: 'grt_1',
  object: 'key_grant',
  sessionId: 'ses_1',
  artifactId: null,
  recipient: 'service',
  recipientKeyId: 'kid',
  tokenId: null,
  appId: null,
  createdAt: NOW,
  expiresAt: null,
};

describe('the words of a grant', () => {
  it('name whom it covers, with nothing hidden', () => {
    expect(nameGrantee(GRANT, SHARING)).toBe('All tokens');
    expect(nameGrantee({ ...GRANT, tokenId: 'tok_1' }, SHARING)).toBe('Token deploys');
    expect(nameGrantee({ ...GRANT, appId: 'svc_oapp_1' }, SHARING)).toBe('App No\\u{202e}tes');
    expect(nameGrantee({ ...GRANT, tokenId: 'tok_01m7aaaaaaaaaaaa4k2q' }, SHARING)).toBe('Token tok_01m7…4k2q');
  });

  it('say how the grantee reads and until when', () => {
    expect(describeGrant(GRANT, NOW)).toBe('through the service · until you revoke it');
    expect(describeGrant({ ...GRANT, expiresAt: NOW + 3 * 86_400_000 - 500 }, NOW)).toBe(
      'through the service · expires in 3 d',
    );
    expect(describeGrant({ ...GRANT, expiresAt: NOW - 1 }, NOW)).toBe('through the service · expired');
    const recipient = { kty: 'OKP', crv: 'X25519', x: 'x' } as const;
    expect(describeGrant({ ...GRANT, recipient, recipientKeyId: 'reader-1' }, NOW)).toContain('your own key reader-1');
  });
});

describe('the form of a grant', () => {
  it('offers tokens whose scopes open the content', () => {
    expect(findReaders(SHARING.tokens, 'session').map(({ name }) => name)).toEqual(['deploys', 'files']);
    expect(findReaders(SHARING.tokens, 'artifact').map(({ name }) => name)).toEqual(['files']);
  });

  it('is for all tokens, one token or one app', () => {
    expect(toGrantee('all')).toEqual({});
    expect(toGrantee('tok_1')).toEqual({ tokenId: 'tok_1' });
    expect(toGrantee('svc_oapp_1')).toEqual({ appId: 'svc_oapp_1' });
  });

  it('lasts until it is revoked, or some days', () => {
    expect(getExpiry('', NOW)).toBeUndefined();
    expect(getExpiry('7', NOW)).toBe(NOW + 7 * 86_400_000);
  });
});

import type { Clock } from '../../common/clock';
import { ApiError, notFoundError } from '../../common/errors';
import type { RegisteredAppReader } from '../developer-apps';
import type { PersonalAccessTokensService } from '../personal-access-tokens';
import { GrantBindingValidator } from './grant-binding-validator';

const NOW = Date.UTC(2026, 10, 23);
const ACTIVE = 'tok_01m7xsah51f6ctt8c84t8wbh7e';
const REVOKED = 'tok_01m7xsah51f6ctt8c84t8wbh7f';
const UNKNOWN = 'tok_01m7xsah51f6ctt8c84t8wbh7g';
const EXPIRED = 'tok_01m7xsah51f6ctt8c84t8wbh7h';
const STATES = new Map([
  [ACTIVE, 'active'],
  [REVOKED, 'revoked'],
  [EXPIRED, 'expired'],
]);

describe('GrantBindingValidator', () => {
  const getPersonalAccessToken = jest.fn();
  const lockIfActive = jest.fn();
  const validator = new GrantBindingValidator(
    { getPersonalAccessToken } as unknown as PersonalAccessTokensService,
    { lockIfActive } as unknown as RegisteredAppReader,
    { now: () => NOW } as Clock,
  );

  beforeEach(() => {
    jest.resetAllMocks();
    getPersonalAccessToken.mockImplementation((accountId: string, id: string) => {
      if (accountId !== 'acc_1' || id === UNKNOWN) return Promise.reject(notFoundError('token'));
      return Promise.resolve({ state: STATES.get(id) });
    });
    lockIfActive.mockImplementation((appId: string) => Promise.resolve(appId === 'app'));
  });

  const findViolationPaths = async (bindings: object, accountId = 'acc_1') => {
    try {
      await validator.validateBindings(accountId, bindings);
      return [];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect(error.code).toBe('invalid_request');
      return (error.extras.members!.errors as { path: string }[]).map(({ path }) => path);
    }
  };

  it.each([
    ['no binding', {}, []],
    ['an active token', { tokenId: ACTIVE }, []],
    ['a revoked token', { tokenId: REVOKED }, ['/tokenId']],
    ['an expired token', { tokenId: EXPIRED }, ['/tokenId']],
    ['an unknown token', { tokenId: UNKNOWN }, ['/tokenId']],
    ['a malformed token id', { tokenId: 'nonsense' }, ['/tokenId']],
    ['an active app', { appId: 'app' }, []],
    ['an unknown app', { appId: 'other' }, ['/appId']],
    ['a token and an app', { tokenId: ACTIVE, appId: 'app' }, ['/appId']],
    ['an expiry in the future', { expiresAt: NOW + 1 }, []],
    ['an expiry now', { expiresAt: NOW }, ['/expiresAt']],
    ['an expiry at the epoch', { expiresAt: 0 }, ['/expiresAt']],
    ['several violations', { tokenId: REVOKED, expiresAt: NOW }, ['/expiresAt', '/tokenId']],
  ])('validates %s', async (_, bindings, paths) => {
    expect(await findViolationPaths(bindings)).toEqual(paths);
  });

  it('looks for a token in the account of the grant only', async () => {
    expect(await findViolationPaths({ tokenId: ACTIVE }, 'acc_2')).toEqual(['/tokenId']);
  });

  it('does not lock an app that the grant may not have', async () => {
    await findViolationPaths({ tokenId: ACTIVE, appId: 'app' });
    expect(lockIfActive).not.toHaveBeenCalled();
  });

  it('does not take a failure of the database for an unknown token', async () => {
    getPersonalAccessToken.mockRejectedValue(new Error('connection lost'));
    await expect(validator.validateBindings('acc_1', { tokenId: ACTIVE })).rejects.toThrow('connection lost');
  });
});

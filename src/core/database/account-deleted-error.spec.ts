import { QueryFailedError } from 'typeorm';
import { isAccountDeletedError } from './account-deleted-error';

function createQueryError(code: string, constraint?: string): Error {
  return new QueryFailedError('INSERT', [], Object.assign(new Error('refused'), { code, constraint }));
}

describe('isAccountDeletedError', () => {
  it('knows a reference to an account that is not there', () => {
    expect(isAccountDeletedError(createQueryError('23503', 'sessions_account_id_fkey'))).toBe(true);
  });

  it.each([
    ['another reference', createQueryError('23503', 'sessions_machine_id_fkey')],
    ['another fault', createQueryError('23505', 'sessions_account_id_fkey')],
    ['one without a constraint', createQueryError('23503')],
    ['an error of another kind', new Error('sessions_account_id_fkey')],
    ['nothing', null],
  ])('leaves alone %s', (_what, thrown) => expect(isAccountDeletedError(thrown)).toBe(false));
});

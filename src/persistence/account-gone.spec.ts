import { QueryFailedError } from 'typeorm';
import { isAccountGone } from './account-gone';

function failed(code: string, constraint?: string): Error {
  return new QueryFailedError('INSERT', [], Object.assign(new Error('refused'), { code, constraint }));
}

describe('isAccountGone', () => {
  it('knows a reference to an account that is not there', () => {
    expect(isAccountGone(failed('23503', 'sessions_account_id_fkey'))).toBe(true);
  });

  it.each([
    ['another reference', failed('23503', 'sessions_machine_id_fkey')],
    ['another fault', failed('23505', 'sessions_account_id_fkey')],
    ['one without a constraint', failed('23503')],
    ['an error of another kind', new Error('sessions_account_id_fkey')],
    ['nothing', null],
  ])('leaves alone %s', (_what, thrown) => expect(isAccountGone(thrown)).toBe(false));
});

import { readListChoice, writeListChoice } from './session-filters';

describe('the address of the list of sessions', () => {
  it.each([
    '',
    '?search=build+box&machine=mch_1&agent=Claude+Code&state=needsYou',
    '?state=ended',
    '?state=all',
    '?state=idle',
    '?search=a%26b',
  ])('chooses the same sessions after a reload: %j', (query) => {
    expect(writeListChoice(readListChoice(query))).toBe(query);
  });

  it('chooses the active sessions by a state that the page doesn’t know', () => {
    expect(readListChoice('?state=nothing')).toMatchObject({ filter: 'active', group: '' });
  });
});

import { TypeID } from 'typeid-js';
import { generateId, getIdTime, getLowestId, isWellFormedId } from './ids';

describe('ids', () => {
  it('contain a UUIDv7 of the time of their creation', () => {
    const before = Date.now();
    // More than the random bytes that are read at once.
    const ids = Array.from({ length: 1_000 }, () => generateId('ses'));
    for (const id of ids) {
      expect(id).toMatch(/^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(TypeID.fromString(id, 'ses').toUUID()).toMatch(/^[0-9a-f-]{14}7[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/);
      expect(getIdTime(id)).toBeGreaterThanOrEqual(before);
      expect(getIdTime(id)).toBeLessThanOrEqual(Date.now());
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('sort by the time of their creation', () => {
    const now = Date.now();
    const times = [0, 1, 31, 32, 1_700_000_000_000, now, now + 1, 2 ** 48 - 1];
    const ids = times.map((time) => getLowestId('req', time));
    expect(ids).toEqual([...ids].sort());
    expect(ids.map(getIdTime)).toEqual(times);
    expect(generateId('req') > getLowestId('req', now - 1)).toBe(true);
    expect(generateId('req') < getLowestId('req', now + 60_000)).toBe(true);
  });

  it('are encoded as the reference encodes them', () => {
    const uuid = '018bcfe5-6800-0000-0000-000000000000';
    expect(getLowestId('ses', 0x018bcfe56800)).toBe(TypeID.fromUUID('ses', uuid).toString());
    expect(isWellFormedId('ses', new TypeID('ses').toString())).toBe(true);
  });

  it.each([
    ['another prefix', 'mch_01hf7yat00e008000000000000'],
    ['a longer prefix', 'sess_01hf7yat00e008000000000000'],
    ['no separator', 'ses01hf7yat00e008000000000000'],
    ['25 characters', 'ses_01hf7yat00e00800000000000'],
    ['27 characters', 'ses_01hf7yat00e0080000000000000'],
    ['more than 128 bits', 'ses_81hf7yat00e008000000000000'],
    ['an upper-case letter', 'ses_01HF7YAT00E008000000000000'],
    ['a letter outside the alphabet', 'ses_01hf7yat00e00800000000000u'],
    ['a line break behind it', 'ses_01hf7yat00e00800000000000\n'],
    ['nothing', ''],
  ])('are not well-formed with %s', (_, value) => {
    expect(isWellFormedId('ses', value)).toBe(false);
    expect(isWellFormedId('ses', 'ses_01hf7yat00e008000000000000')).toBe(true);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './constants';
import { optionsOf, SETTINGS, type Setting } from './options';

const sourced = Object.entries<Setting>(SETTINGS).filter(([, { source }]) => source);
/** `NAME = 10_000`, `name: 20`, `timeout connect 1s`; a formula, and the balancer's three words, end otherwise. */
const LAST = /([\d_]+)(s?)$/;

describe('a setting of the simulation', () => {
  it.each(sourced)('%s stands in the code', (_, { value, source }) => {
    const at = source!.indexOf(': ');
    const text = source!.slice(at + 2);
    expect(readFileSync(join(ROOT, source!.slice(0, at)), 'utf8')).toContain(text);
    const [, digits, seconds] = LAST.exec(text) ?? [];
    const isMs = seconds === 's';
    if (digits && !text.startsWith('check') && !text.includes('random')) {
      expect(Number(digits.replaceAll('_', '')) * (isMs ? 1_000 : 1)).toBe(value);
    }
  });

  it('is given by name, and nothing else is', () => {
    expect(optionsOf({ lost: '7' })).toMatchObject({ lost: 7, instances: 100 });
    expect(() => optionsOf({ lots: '7' })).toThrow('--lots 7');
    expect(() => optionsOf({ lost: 'seven' })).toThrow('--lost seven');
  });
});

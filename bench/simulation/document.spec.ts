import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Constants, ROOT } from './constants';
import { DOCUMENT, OUTCOMES_FILE, written } from './document';
import { fillIn, table } from './markdown';
import { pictures, type Outcomes } from './outcomes';

const REMEDY = 'npm run simulate -- write';

describe('docs/scaling.md', () => {
  const constants = Constants.read();
  const outcomes = JSON.parse(readFileSync(OUTCOMES_FILE, 'utf8')) as Outcomes;

  it(`says what its constants come to (${REMEDY})`, () => {
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(written(constants));
  });

  it(`shows storms and deploys of these constants (${REMEDY})`, () => {
    expect(outcomes.constants).toBe(constants.digest);
    for (const [name, svg] of Object.entries(pictures(outcomes, constants))) {
      expect(readFileSync(join(ROOT, 'docs', 'images', name), 'utf8')).toBe(svg);
    }
  });

  it('names no constant that was not measured', () => {
    const named = readFileSync(DOCUMENT, 'utf8').matchAll(/`((?:redis|postgres|service)\.\w+[a-z])`/g);
    for (const [, key] of named) expect(constants.value(key!)).toEqual(expect.any(Number));
  });
});

describe('fillIn', () => {
  const text = 'before\n<!-- simulate:one -->\n\nold\n\n<!-- /simulate -->\nafter';

  it('makes a block anew, and nothing else', () => {
    expect(fillIn(text, { one: 'new' })).toBe(text.replace('old', 'new'));
  });

  it('refuses a block that nobody knows, and a figure without a place', () => {
    expect(() => fillIn(text, {})).toThrow('nothing is called one');
    expect(() => fillIn(text, { one: '', two: '' })).toThrow('no place for two');
  });
});

it('writes tables as Prettier does', () => {
  expect(table(['A', { right: 'B' }], [['name', '1']])).toBe('| A    |   B |\n| ---- | --: |\n| name |   1 |');
});

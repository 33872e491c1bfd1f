import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../common/project-root';
import { describePromise, listQuantities, normalizePage, type PageQuantity } from './testing/page-quantities';

/** What a page promises with numbers, where the code has them, and which test shows it. */
interface Promised {
  /** Part of the page, with its numbers. Line breaks and the padding of tables don't count. */
  says: string;
  /** `path: text` of each constant that has a number of it. The text occurs in the file. */
  code?: string[];
  /** Tests that fail if it is not true: `path: part of the name`, or the path if the whole file is about it. */
  tests?: string[];
}

interface PageList {
  page: string;
  promises: Promised[];
}

const FOLDER = join(PROJECT_ROOT, 'test', 'promises');
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const lists = readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as PageList);
/** Pages whose quantities are all listed. A list without a page fails, and a page that has none fails, too. */
const PAGES = [
  'docs/guide/limits.md',
  ...readdirSync(join(PROJECT_ROOT, 'docs/protocol'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => `docs/protocol/${name}`),
];

/** Returns the references whose file or text does not exist. */
function findDangling(references: readonly string[]): string[] {
  return references.filter((reference) => {
    const [path, text = ''] = reference.split(/: (.*)/s) as [string, string?];
    return !existsSync(join(PROJECT_ROOT, path)) || !read(path).includes(text);
  });
}

it('lists the promises of every page of the protocol, and of the limits', () => {
  expect(lists.map(({ page }) => page).sort()).toEqual(PAGES.sort());
});

describe.each(lists.map((list): [string, PageList] => [list.page, list]))(
  'the promises of %s',
  (page, { promises }) => {
    const text = normalizePage(read(page));
    const spans = promises.map(({ says }) => ({ says, from: text.indexOf(normalizePage(says)) }));

    it('are on the page', () => {
      expect(spans.filter(({ from }) => from < 0).map(({ says }) => says)).toEqual([]);
    });

    it('cover every quantity of the page', () => {
      const isCovered = ({ from, to }: PageQuantity) =>
        spans.some((span) => span.from <= from && to <= span.from + normalizePage(span.says).length);
      const uncovered = listQuantities(text).filter((quantity) => !isCovered(quantity));
      // Each is printed with what surrounds it, to be added to the list.
      expect(uncovered.map((quantity) => describePromise(text, quantity))).toEqual([]);
    });

    it('name the numbers of the code', () => {
      expect(findDangling(promises.flatMap(({ code = [] }) => code))).toEqual([]);
    });

    it('name tests that exist', () => {
      expect(promises.filter(({ code = [], tests = [] }) => code.length + tests.length === 0)).toEqual([]);
      const tests = promises.flatMap(({ tests: references = [] }) => references);
      expect(tests.filter((reference) => !/\.spec\.tsx?(: .+)?$/.test(reference))).toEqual([]);
      expect(findDangling(tests)).toEqual([]);
    });
  },
);

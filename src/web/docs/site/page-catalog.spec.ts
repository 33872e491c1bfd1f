import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../common/project-root';
import { DOCS_PAGES, resolvePageLink } from './page-catalog';

describe('the pages of the documentation', () => {
  it.each(['guide', 'protocol'])('include every file of docs/%s', (folder) => {
    const files = readdirSync(join(PROJECT_ROOT, 'docs', folder)).filter((name) => name.endsWith('.md'));
    expect(files.length).toBeGreaterThan(5);
    for (const name of files) expect(DOCS_PAGES.map(({ source }) => source)).toContain(`docs/${folder}/${name}`);
  });

  it('have different addresses', () => {
    expect(new Set(DOCS_PAGES.map(({ path }) => path)).size).toBe(DOCS_PAGES.length);
  });

  it('link to each other as in the repository, and to nothing that the site lacks', () => {
    const relay = DOCS_PAGES.find(({ path }) => path === '/docs/protocol/relay')!;
    for (const [href, target] of [
      ['external-api.md#errors', '/docs/protocol/external-api#errors'],
      [join('..', 'guide', 'console.md'), '/docs/console'],
      ['README.md', '/docs/protocol'],
      [join('..', 'scaling.md'), null],
      ['../../src/main.ts', null],
      ['#limits', '#limits'],
      ['/console/tokens', '/console/tokens'],
      ['https://www.rfc-editor.org', 'https://www.rfc-editor.org'],
    ]) {
      expect([href, resolvePageLink(href!, relay)]).toEqual([href, target]);
    }
  });
});

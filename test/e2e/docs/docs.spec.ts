import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CATALOG } from '../../../src/common/errors';
import { rankEntries, type IndexEntry } from '../../../packages/pages/src/browser/search/rank-entries';
import { Service } from '../../support/service';

const DOCS_FOLDER = join(__dirname, '../../../docs');
const EXAMPLES_FOLDER = join(DOCS_FOLDER, 'guide/examples');
const listMarkdown = (folder: string) =>
  readdirSync(join(DOCS_FOLDER, folder)).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []));
const DOCUMENTS = {
  '/docs/reference': '/external/v1/openapi.json',
  '/docs/device-reference': '/v1/openapi.json',
};
const PAGES = [
  ...listMarkdown('guide').map((slug) => `/docs/${slug}`),
  ...listMarkdown('protocol').map((slug) => (slug === 'README' ? '/docs/protocol' : `/docs/protocol/${slug}`)),
  '/docs/reference',
  '/docs/reference/sessions',
  '/docs/reference/sessions/listSessions',
  '/docs/device-reference',
  '/docs/device-reference/devices',
  '/docs/device-reference/devices/createPairing',
];

describe('the documentation for people', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const fetchPage = async (path: string, accept = 'text/html,*/*;q=0.5') => {
    const response = await fetch(service.url + path, { headers: { Accept: accept }, redirect: 'manual' });
    return { response, html: await response.text() };
  };
  const getStatus = async (path: string, accept: string) => (await fetchPage(path, accept)).response.status;

  it('starts with getting started', async () => {
    const { response } = await fetchPage('/docs', 'text/html');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/docs/getting-started');
  });

  it.each(['/docs/getting-started', '/docs/reference'])(
    'leads through the pages from %s in the order of their navigation, and back',
    async (first) => {
      const readPage = async (path: string) => {
        const { html } = await fetchPage(path);
        const find = (rel: string) => new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1];
        const links = [...html.matchAll(/<a href="(\/docs\/[^"]+)"(?: aria-current="page")?>/g)].map(
          ([, href]) => href,
        );
        return { previous: find('prev'), next: find('next'), links };
      };
      const start = await readPage(first);
      const second = await readPage(start.next!);
      expect([start.previous, second.previous]).toEqual([undefined, first]);
      expect(second.links.indexOf(start.next)).toBe(second.links.indexOf(first) + 1);
    },
  );

  it.each(PAGES)('serves %s without a credential and with a policy that allows only this host', async (path) => {
    const { response, html } = await fetchPage(path, 'text/html');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|\sstyle="/);
    expect(html).not.toContain('{host}');
    expect(html).toContain('aria-current="page"');
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    for (const [id, count] of countIds(html)) expect([id, count]).toEqual([id, 1]);
  });

  it('negotiates HTML, Markdown and 406', async () => {
    expect(await getStatus('/docs/errors', '*/*')).toBe(200);
    expect(await getStatus('/docs/errors', 'application/pdf')).toBe(406);
    const { response, html } = await fetchPage('/docs/errors', 'text/markdown');
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('vary')).toContain('Accept');
    expect(html).toMatch(/^# Errors\n/);
  });

  it('serves the Markdown of each page with links that work elsewhere', async () => {
    for (const path of PAGES) {
      const { response, html: markdown } = await fetchPage(`${path}.md`, '*/*');
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(markdown).toMatch(/^# \S/);
      expect(markdown).not.toMatch(/\{host\}|\]\((?:\.\.?\/|\/|[\w-]+\.md)/);
      expect(await getStatus(path, 'text/markdown')).toBe(200);
    }
    const { html: overview } = await fetchPage('/docs/device-reference.md', '*/*');
    expect(overview).toContain(
      `](${service.url}/docs/device-reference/devices/createPairing.md): \`POST /v1/pairings\``,
    );
    const { html: relay } = await fetchPage('/docs/protocol/relay.md', '*/*');
    expect(relay).toContain(`](${service.url}/docs/protocol/external-api.md`);
    expect(await getStatus('/docs/nothing.md', '*/*')).toBe(404);
  });

  it('lists all pages for language models, and each address works', async () => {
    const { response, html: list } = await fetchPage('/llms.txt', '*/*');
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const urls = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => url!);
    for (const path of PAGES.filter((each) => !/reference\/\w+$/.test(each)))
      expect(urls).toContain(`${service.url}${path}.md`);
    for (const url of urls) expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  });

  it('leads only to pages and anchors that exist', async () => {
    const idsByPath = new Map<string, Set<string>>();
    const pending = ['/docs/getting-started'];
    const anchors = new Map<string, string>();
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (idsByPath.has(path)) continue;
      const { response, html } = await fetchPage(path);
      // An existing console page redirects to the sign-in page with a return path.
      if (path.startsWith('/console/') && response.status === 303) {
        expect(response.headers.get('location')).toBe(`/console/sign-in?return=${encodeURIComponent(path)}`);
      } else expect([path, response.status < 400]).toEqual([path, true]);
      idsByPath.set(path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)));
      if (!path.startsWith('/docs') || !response.headers.get('content-type')?.startsWith('text/html')) continue;
      for (const reference of listReferences(html)) {
        // Others are read by people, who leave the service there.
        if (reference.startsWith('https://')) continue;
        expect([path, reference]).toEqual([path, expect.stringMatching(/^(#|\/(?!\/))/)]);
        const [target, anchor] = reference.split('#') as [string, string?];
        if (anchor) anchors.set(`${target || path}#${anchor}`, path);
        if (target) pending.push(target);
      }
    }
    for (const path of PAGES) expect([...idsByPath.keys()]).toContain(path);
    for (const [reference, path] of anchors) {
      const [target, anchor] = reference.split('#') as [string, string];
      expect([path, reference, idsByPath.get(target)!.has(decodeURIComponent(anchor))]).toEqual([
        path,
        reference,
        true,
      ]);
    }
  });

  it('contains every page, operation and error code in the search index', async () => {
    const { response, html } = await fetchPage('/docs/search.json', '*/*');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const entries = JSON.parse(html) as IndexEntry[];
    const urls = entries.map(({ u }) => u);
    for (const path of PAGES.filter((each) => !each.endsWith('reference'))) expect(urls).toContain(path);
    for (const code of Object.keys(ERROR_CATALOG)) expect(urls).toContain(`/docs/errors#${code}`);
    for (const [reference, path] of Object.entries(DOCUMENTS)) {
      const document = await service.http.get(path);
      const operations = Object.values(document.body.paths as object).flatMap((item: object) =>
        Object.values(item).flatMap(({ operationId }: { operationId?: string }) => operationId ?? []),
      );
      expect(operations.length).toBeGreaterThan(40);
      for (const id of operations)
        expect([id, urls.some((url) => url.startsWith(reference) && url.endsWith(`/${id}`))]).toEqual([id, true]);
    }
    for (const [query, first] of [
      ['send a message', '/docs/relay#send-a-message'],
      ['webhook', '/docs/webhooks'],
      ['oauth', '/docs/oauth'],
      ['errors', '/docs/errors'],
      ['pairing', '/docs/protocol/device-api#pairing'],
    ]) {
      expect([query, rankEntries(entries, query!)[0]!.entry.u]).toEqual([query, first]);
    }
    const forTokens = rankEntries(entries, 'token').slice(0, 3);
    expect(forTokens.map(({ entry }) => entry.p)).not.toContainEqual(expect.stringMatching(/reference|Protocol/));
    expect(entries.every(({ h, t }) => h !== '' && !/undefined|\[object/.test(h + t))).toBe(true);
  });

  it('explains every error code at the anchor of a problem’s type, with its cause and remedy', async () => {
    const { html } = await fetchPage('/docs/errors');
    for (const code of Object.keys(ERROR_CATALOG)) expect(html).toContain(`id="${code}"`);
    expect(html.match(/<strong>Cause:<\/strong>/g)).toHaveLength(Object.keys(ERROR_CATALOG).length);
    expect(html.match(/<strong>What to do:<\/strong>/g)).toHaveLength(
      Object.values(ERROR_CATALOG).filter(({ advice }) => advice).length,
    );
    const problem = await service.http.get('/external/v1/me');
    expect(problem.body.type).toBe(`${service.url}/docs/errors#missing_token`);
  });

  it('shows the example programs byte for byte', async () => {
    const pages = await Promise.all(['authentication', 'encryption'].map((name) => fetchPage(`/docs/${name}`)));
    const blocks = pages.flatMap(({ html }) =>
      [...html.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs)].map(([, code]) =>
        unescapeHtml(code!.replace(/<\/?span[^>]*>/g, '')),
      ),
    );
    for (const file of readdirSync(EXAMPLES_FOLDER)) {
      expect(blocks).toContain(readFileSync(join(EXAMPLES_FOLDER, file), 'utf8').trimEnd());
    }
  });

  it('returns 304 for an unchanged page, and lets browsers keep assets forever', async () => {
    const { response, html } = await fetchPage('/docs/relay');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const again = await fetch(`${service.url}/docs/relay`, {
      headers: { Accept: 'text/html', 'If-None-Match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    const assets = listReferences(html).filter((reference) => reference.startsWith('/docs/assets/'));
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) {
      const asset = await fetch(service.url + path);
      expect([path, asset.status]).toEqual([path, 200]);
      expect(asset.headers.get('cache-control')).toContain('immutable');
    }
    const older = await fetch(service.url + assets[0]!.replace(/assets\/[^/]+/, 'assets/other'));
    expect([older.status, older.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(await getStatus('/docs/assets/x/..%2f..%2f..%2fpackage.json', '*/*')).toBe(404);
  });

  it('answers browsers with a page and others with a problem if a page doesn’t exist', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/protocol/nothing',
      '/docs/reference/sessions/nothing',
      '/docs/a/b/c/d',
    ]) {
      const { response, html } = await fetchPage(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('cache-control') ?? '').not.toContain('public');
      expect(html).toContain('<h1>Page not found</h1>');
      for (const accept of ['*/*', 'application/json', 'text/markdown']) {
        const problem = await fetchPage(path, accept);
        expect([problem.response.status, JSON.parse(problem.html).code]).toEqual([404, 'not_found']);
      }
    }
  });
});

function listReferences(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src|data-search)="([^"]+)"/g)].map(([, reference]) => unescapeHtml(reference!));
}

function countIds(html: string): [id: string, count: number][] {
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
  return [...new Set(ids)].map((id) => [id, ids.filter((each) => each === id).length]);
}

function unescapeHtml(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CATALOG } from '../../../src/common/errors';
import { Service } from '../../support/service';

const EXAMPLES_FOLDER = join(__dirname, '../../../docs/guide/examples');
const PAGE_PATHS = [
  'getting-started',
  'authentication',
  'oauth',
  'console',
  'relay',
  'invocations',
  'queued-messages',
  'event-streams',
  'agents',
  'errors',
  'limits',
  'encryption',
  'webhooks',
  'deprecations',
  'reference',
];

describe('the documentation for people', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const page = async (path: string) => {
    const response = await fetch(service.url + path, { redirect: 'manual' });
    return { response, html: await response.text() };
  };
  const references = (html: string) => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!);

  it('starts with getting started', async () => {
    const { response } = await page('/docs');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/docs/getting-started');
  });

  it.each(PAGE_PATHS)('serves %s without a credential and with a policy that allows only this host', async (name) => {
    const { response, html } = await page(`/docs/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style="/);
    expect(html).not.toContain('{host}');
    expect(html).toContain('aria-current="page"');
  });

  it('respects the Accept header for pages and assets', async () => {
    const status = async (path: string, accept: string) =>
      (await fetch(service.url + path, { headers: { Accept: accept }, redirect: 'manual' })).status;
    for (const name of PAGE_PATHS) expect([name, await status(`/docs/${name}`, 'text/html')]).toEqual([name, 200]);
    expect(await status('/docs', 'text/html')).toBe(302);
    expect(await status('/docs/assets/docs.css', 'text/css')).toBe(200);
    expect(await status('/docs/assets/reference.js', 'text/javascript')).toBe(200);
    expect(await status('/docs/errors', '*/*')).toBe(200);
    expect(await status('/docs/errors', 'application/pdf')).toBe(406);
  });

  it('links only to existing pages of this host', async () => {
    const seen = new Set<string>();
    for (const name of PAGE_PATHS) {
      for (const reference of references((await page(`/docs/${name}`)).html)) {
        seen.add(reference.startsWith('#') ? `/docs/${name}${reference}` : reference);
      }
    }
    for (const reference of seen) {
      expect(reference).toMatch(/^\/(?!\/)/);
      const { response, html } = await page(reference);
      const [, anchor] = reference.split('#');
      if (anchor) expect([reference, html.includes(`id="${anchor}"`)]).toEqual([reference, true]);
      // An existing console page redirects to the sign-in page with a return path.
      if (reference.startsWith('/console/') && response.status === 303) {
        expect(response.headers.get('location')).toBe(`/console/sign-in?return=${encodeURIComponent(reference)}`);
      } else expect([200, 302]).toContain(response.status);
    }
  });

  it('explains every error code at the anchor of a problem’s type', async () => {
    const { html } = await page('/docs/errors');
    for (const code of Object.keys(ERROR_CATALOG)) expect(html).toContain(`id="${code}"`);
    const problem = await service.http.get('/external/v1/me');
    expect(problem.body.type).toBe(`${service.url}/docs/errors#missing_token`);
  });

  it('shows the example programs byte for byte', async () => {
    const pages = await Promise.all(['authentication', 'encryption'].map((name) => page(`/docs/${name}`)));
    const blocks = pages.flatMap(({ html }) =>
      [...html.matchAll(/<pre><code[^>]*>([^<]*)<\/code><\/pre>/g)].map(([, code]) => unescapeHtml(code!)),
    );
    for (const file of readdirSync(EXAMPLES_FOLDER)) {
      expect(blocks).toContain(readFileSync(join(EXAMPLES_FOLDER, file), 'utf8'));
    }
  });

  it('returns 304 for an unchanged asset', async () => {
    const { response } = await page('/docs/assets/docs.css');
    const again = await fetch(`${service.url}/docs/assets/docs.css`, {
      headers: { 'If-None-Match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    expect((await page('/docs/assets/..%2f..%2fpackage.json')).response.status).toBe(404);
    expect((await page('/docs/nothing')).response.status).toBe(404);
  });
});

function unescapeHtml(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

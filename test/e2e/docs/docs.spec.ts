import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../../src/common/errors';
import { Service } from '../../support/service';

const EXAMPLES = join(__dirname, '../../../docs/guide/examples');
const PAGES = [
  'getting-started',
  'authentication',
  'console',
  'relay',
  'errors',
  'limits',
  'encryption',
  'webhooks',
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

  it('begins with getting started', async () => {
    const { response } = await page('/docs');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/docs/getting-started');
  });

  it.each(PAGES)('serves %s to anybody, under a policy that allows this host alone', async (name) => {
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

  it('links to nothing that is not there, and to no other host', async () => {
    const seen = new Set<string>();
    for (const name of PAGES) {
      for (const reference of references((await page(`/docs/${name}`)).html)) seen.add(reference);
    }
    for (const reference of seen) {
      if (reference.startsWith('#')) continue;
      expect(reference).toMatch(/^\/(?!\/)/);
      const { response } = await page(reference);
      // A page of the console that is there leads to the sign-in page, and from there back.
      if (reference.startsWith('/console/') && response.status === 303) {
        expect(response.headers.get('location')).toBe(`/console/sign-in?return=${encodeURIComponent(reference)}`);
      } else expect([200, 302]).toContain(response.status);
    }
  });

  it('explains every error code where a problem’s type points to', async () => {
    const { html } = await page('/docs/errors');
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`id="${code}"`);
    const problem = await service.http.get('/external/v1/me');
    expect(problem.body.type).toBe(`${service.url}/docs/errors#missing_token`);
  });

  it('shows the example programs byte for byte', async () => {
    const { html } = await page('/docs/encryption');
    const blocks = [...html.matchAll(/<pre><code[^>]*>([^<]*)<\/code><\/pre>/g)].map(([, code]) => unescaped(code!));
    for (const file of readdirSync(EXAMPLES)) {
      expect(blocks).toContain(readFileSync(join(EXAMPLES, file), 'utf8'));
    }
  });

  it('answers an asset again with 304', async () => {
    const { response } = await page('/docs/assets/docs.css');
    const again = await fetch(`${service.url}/docs/assets/docs.css`, {
      headers: { 'If-None-Match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    expect((await page('/docs/assets/..%2f..%2fpackage.json')).response.status).toBe(404);
    expect((await page('/docs/nothing')).response.status).toBe(404);
  });
});

function unescaped(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

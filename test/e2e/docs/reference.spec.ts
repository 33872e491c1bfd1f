import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { itWith } from '../../support/dependencies';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const run = promisify(execFile);

/** Paths of the references and their documents. */
const REFERENCES = [
  ['/docs/reference', '/external/v1/openapi.json'],
  ['/docs/device-reference', '/v1/openapi.json'],
] as const;

interface DocumentedOperation {
  id: string;
  tag: string;
  method: string;
  errorCodes: string[];
}

describe('the API reference', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const readPage = async (path: string) => (await fetch(service.url + path)).text();
  const listOperations = async (documentPath: string): Promise<DocumentedOperation[]> => {
    const document = (await service.http.get(documentPath)).body;
    const resolve = (value: any): any =>
      value.$ref
        ? resolve(
            value.$ref
              .slice(2)
              .split('/')
              .reduce((part: any, key: string) => part[key], document),
          )
        : value;
    return Object.values(document.paths as object).flatMap((item: any) =>
      Object.entries(item).flatMap(([method, operation]: [string, any]) =>
        operation.operationId
          ? {
              id: operation.operationId,
              tag: operation.tags[0].toLowerCase(),
              method: method.toUpperCase(),
              errorCodes: Object.values(operation.responses).flatMap((response) =>
                Object.keys(resolve(response).content?.['application/problem+json']?.examples ?? {}),
              ),
            }
          : [],
      ),
    );
  };

  it.each(REFERENCES)('has a page of %s per operation with all of its fields and errors', async (root, path) => {
    const operations = await listOperations(path);
    expect(operations.length).toBeGreaterThan(40);
    for (const { id, tag, method, errorCodes } of operations) {
      const html = await readPage(`${root}/${tag}/${id}`);
      expect([
        id,
        html.includes(`id="${id}"`),
        html.includes(`>${method === 'DELETE' ? 'DEL' : method}</span>`),
      ]).toEqual([id, true, true]);
      // `null` is also the type of members that are always null.
      const text = html.replace(/<figure.*?<\/figure>|<span class="field-type">null</gs, '');
      expect([id, /.{60}>(undefined|null|NaN|\[object Object\])</.exec(text)?.[0]]).toEqual([id, undefined]);
      for (const code of errorCodes) expect(html).toContain(`href="/docs/errors#${code}"`);
      expect(html.match(/<figure class="code" data-language="(sh|js|python|go)">/g) ?? []).toHaveLength(
        id === 'authorize' ? 0 : 4,
      );
    }
  });

  it('shows the parameters and fields of an operation', async () => {
    const html = await readPage('/docs/reference/machines/invokeMachine');
    for (const name of ['id', 'Idempotency-Key', 'command', 'args', 'cwd', 'timeoutMs', 'requestId', 'result']) {
      expect(html).toContain(`<code class="field-name">${name}</code>`);
    }
  });

  it.each(REFERENCES)('lists the operations of a tag of %s at stable anchors', async (root, path) => {
    for (const { id, tag } of await listOperations(path)) {
      expect(await readPage(`${root}/${tag}`)).toContain(`<li id="${id}"><a href="${root}/${tag}/${id}">`);
    }
  });

  it('says which calls of devices it doesn’t send, and why', async () => {
    const read = async (path: string) => {
      const html = await readPage(`/docs/device-reference/${path}`);
      return [
        html.includes('data-opens="try-it"'),
        html.includes('id="try-it"'),
        /This page doesn.{1,5}t send/.test(html),
      ];
    };
    expect(await read('devices/checkUsername')).toEqual([true, true, false]);
    expect(await read('devices/signIn')).toEqual([false, false, true]);
    expect(await read('sessions/listSessionsForDevice')).toEqual([false, false, true]);
    expect(await readPage('/docs/device-reference/sessions/listSessionsForDevice')).toContain('X-CSRF-Token');
  });

  it.each(REFERENCES)('links from %s to the documents to download, its own first', async (root, path) => {
    const downloads = [...(await readPage(root)).matchAll(/href="([^"]+)" download="([^"]+)">([^<]+)/g)];
    expect(downloads.map(([, href]) => href).sort()).toEqual([
      '/external/v1/openapi.json',
      '/v1/asyncapi.json',
      '/v1/openapi.json',
    ]);
    expect(downloads[0]!.slice(1)).toEqual([path, path.slice(1).replaceAll('/', '-'), 'Download OpenAPI']);
  });

  itWith('curl')('shows samples that run as printed', async () => {
    const { token } = await ada.createToken(['sessions:read', 'webhooks:manage', 'usage:read']);
    const runSample = async (path: string, language: 'sh' | 'js') => {
      const code = readSample(await readPage(path), language);
      const [program, ...args] = language === 'sh' ? ['bash', '-c'] : ['node', '--input-type=module', '-e'];
      return (await run(program, [...args, code], { env: { ...process.env, TOKEN: token } })).stdout;
    };
    expect(JSON.parse(await runSample('/docs/reference/identity/getMe', 'sh')).data.token.scopes).toContain(
      'usage:read',
    );
    expect(await runSample('/docs/reference/identity/getMe', 'js')).toMatch(/^200 \{/);
    expect(JSON.parse(await runSample('/docs/reference/sessions/listSessions', 'sh')).data).toEqual([]);
    expect(JSON.parse(await runSample('/docs/reference/webhooks/createWebhook', 'sh')).data.object).toBe('webhook');
    expect(await runSample('/docs/reference/webhooks/createWebhook', 'js')).toMatch(/^201 \{/);
  });

  itWith('python3')('shows samples in Python and Go that are valid programs', async () => {
    for (const path of ['machines/invokeMachine', 'sessions/listSessions', 'events/streamEvents', 'oauth/issueToken']) {
      const html = await readPage(`/docs/reference/${path}`);
      await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', readSample(html, 'python')]);
      expect(readSample(html, 'go')).toMatch(/^package main\n[^]*\nfunc main\(\) \{[^]*\n\}$/);
    }
  });
});

function readSample(html: string, language: string): string {
  const [, code] = new RegExp(`data-language="${language}">.*?<pre><code>(.*?)</code></pre>`, 's').exec(html)!;
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return code!
    .replace(/<\/?span[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

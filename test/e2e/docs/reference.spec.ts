import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const run = promisify(execFile);

interface DocumentedOperation {
  id: string;
  tag: string;
  method: string;
  errorCodes: string[];
}

describe('the API reference', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let document: any;
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    document = (await service.http.get('/external/v1/openapi.json')).body;
  });
  afterAll(() => service?.stop());

  const readPage = async (path: string) => (await fetch(service.url + path)).text();
  const resolve = (value: any): any =>
    value.$ref
      ? resolve(
          value.$ref
            .slice(2)
            .split('/')
            .reduce((part: any, key: string) => part[key], document),
        )
      : value;
  const listOperations = (): DocumentedOperation[] =>
    Object.values(document.paths).flatMap((item: any) =>
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

  it('has a page per operation with all of its parameters, fields and errors', async () => {
    const operations = listOperations();
    expect(operations.length).toBeGreaterThan(40);
    for (const { id, tag, method, errorCodes } of operations) {
      const html = await readPage(`/docs/reference/${tag}/${id}`);
      expect([
        id,
        html.includes(`id="${id}"`),
        html.includes(`>${method === 'DELETE' ? 'DEL' : method}</span>`),
      ]).toEqual([id, true, true]);
      expect(html.replace(/<figure.*?<\/figure>/gs, '')).not.toMatch(/>(undefined|null|NaN|\[object Object\])</);
      for (const code of errorCodes) expect(html).toContain(`href="/docs/errors#${code}"`);
      expect(html.match(/<figure class="code" data-language="(sh|js|python|go)">/g) ?? []).toHaveLength(
        id === 'authorize' ? 0 : 4,
      );
    }
    const html = await readPage('/docs/reference/machines/invokeMachine');
    for (const name of ['id', 'Idempotency-Key', 'command', 'args', 'cwd', 'timeoutMs', 'requestId', 'result']) {
      expect(html).toContain(`<code class="field-name">${name}</code>`);
    }
  });

  it('lists the operations of a tag at stable anchors', async () => {
    for (const { id, tag } of listOperations()) {
      expect(await readPage(`/docs/reference/${tag}`)).toContain(
        `<li id="${id}"><a href="/docs/reference/${tag}/${id}">`,
      );
    }
  });

  it('links to the OpenAPI documents to download', async () => {
    const html = await readPage('/docs/reference');
    expect(html).toContain('href="/v1/openapi.json" download="v1-openapi.json"');
    expect(html).toContain('href="/external/v1/openapi.json" download="external-v1-openapi.json"');
  });

  it('shows samples that run as printed', async () => {
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

  it('shows samples in Python and Go that are valid programs', async () => {
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

import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage } from './support/visual-checks';

const WINDOWS = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 } },
};
const PAGES = {
  guide: '/docs/getting-started',
  tables: '/docs/webhooks',
  errors: '/docs/errors',
  tools: '/docs/tools',
  protocol: '/docs/protocol/external-api',
  reference: '/docs/reference',
  tag: '/docs/reference/machines',
  operation: '/docs/reference/machines/invokeMachine',
  'device-reference': '/docs/device-reference',
  'device-operation': '/docs/device-reference/sessions/createSession',
  'not-found': '/docs/nothing',
};

describe.each(Object.entries(WINDOWS))('the documentation is accessible and fits the screen: %s', (name, options) => {
  let service: Service;
  let browser: TestBrowser;
  let reader: BrowserUser;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
    reader = await browser.openProfile(service.url, options);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it.each(Object.entries(PAGES))('%s', async (page, path) => {
    await reader.page.goto(path);
    await expectAccessiblePage(reader, `docs-${name}-${page}`);
  });

  it('search', async () => {
    await reader.page.goto('/docs/relay');
    await reader.page.getByRole('button', { name: 'Search' }).click();
    await reader.page.getByRole('combobox').fill('idempotency');
    await reader.page.getByRole('option').first().waitFor();
    await expectAccessiblePage(reader, `docs-${name}-search`);
  });

  it('try it', async () => {
    await reader.page.goto('/docs/reference/sessions/listSessions');
    await reader.page.getByRole('button', { name: 'Try it' }).click();
    await reader.page.getByLabel('Token').fill('svc_pat_wrong');
    await reader.page.getByRole('button', { name: 'Send request' }).click();
    await reader.page.getByRole('status').getByText(/^401/).waitFor();
    await expectAccessiblePage(reader, `docs-${name}-try-it`);
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { waitFor } from '../support/wait-for';
import { ContentFixture } from './support/content-fixture';
import { expectAccessiblePage } from './support/visual-checks';

describe('a new session', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
  });
  afterEach(() => expect(fixture.ada.pageErrors.splice(0)).toEqual([]));
  afterAll(() => fixture?.stop());

  const openForm = async () => {
    const { page } = fixture.ada;
    await page.goto('/console/sessions');
    await page.getByRole('link', { name: 'New session' }).click();
    const form = page.getByRole('form', { name: 'Start a session' });
    await form.waitFor();
    return form;
  };

  it('has a name and a first message with files, which the service can’t read', async () => {
    const { page } = fixture.ada;
    const form = await openForm();
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(request.postData() ?? ''));
    await form.getByLabel('First message').fill('create from-new-session.txt');
    await form.getByLabel('Files').setInputFiles({
      name: 'secret plan.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('the secret of the plan'),
    });
    await form.getByLabel('Name').fill('A name of my own');
    await form.getByLabel('Folder').fill(fixture.folder);
    await expectAccessiblePage(fixture.ada, 'new-session');
    await form.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL('**/console/sessions/ses_*');
    await page.getByRole('heading', { name: 'A name of my own' }).waitFor();
    await waitFor(() => expect(existsSync(join(fixture.folder, 'from-new-session.txt'))).toBe(true));
    await page.getByText('secret plan.txt').first().waitFor();
    expect(bodies.join('\n')).not.toMatch(/from-new-session|secret|A name of my own/);
    const again = await openForm();
    expect(await again.locator('datalist option').getAttribute('value')).toBe(fixture.folder);
  });

  it('offers the models of the agent, once a session of it has told them', async () => {
    const { page } = fixture.ada;
    // The test agent has modes only.
    const addToAgents = async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { agents: { options: object[] }[] }[] };
      for (const agent of body.data.flatMap(({ agents }) => agents)) {
        agent.options.push({ id: 'model', name: 'Model', category: 'model' });
      }
      await route.fulfill({ response, json: body });
    };
    const addToOptions = async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { result: { options: object[] } };
      const values = [{ value: 'small-1', name: 'Small' }];
      body.result.options.push({ id: 'model', name: 'Model', category: 'model', type: 'select', value: null, values });
      await route.fulfill({ response, json: body });
    };
    await page.route('**/v1/control/machines?*', addToAgents);
    const form = await openForm();
    const model = form.getByLabel('Model');
    expect(await model.evaluate((field) => field.tagName)).toBe('INPUT');
    await page.route('**/options', addToOptions);
    await page.reload();
    await form.getByLabel('First message').focus();
    const names = ['The agent’s default', 'Small'];
    await waitFor(async () => expect(await model.getByRole('option').allTextContents()).toEqual(names));
    // The browser remembers them.
    await page.unroute('**/options');
    await openForm();
    await waitFor(async () => expect(await model.getByRole('option').allTextContents()).toEqual(names));
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('is not started twice if its first message could not be sent', async () => {
    const { page } = fixture.ada;
    const form = await openForm();
    let starts = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && /machines\/[^/]+\/sessions$/.test(request.url())) starts += 1;
    });
    await page.route('**/messages', (route) => route.abort());
    await form.getByLabel('First message').fill('say once');
    await form.getByRole('button', { name: 'Start session' }).click();
    await page.getByRole('alert').waitFor();
    fixture.ada.pageErrors.splice(0);
    await page.unroute('**/messages');
    await form.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL('**/console/sessions/ses_*');
    await page.getByText('once', { exact: true }).first().waitFor();
    expect(starts).toBe(1);
  });
});

import type { Locator, Page } from 'playwright-core';
import { createTerminalSession } from '../support/terminal-session';
import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { refuseCalls } from './support/refuse-request';

describe('the console says so', () => {
  let fixture: ContentFixture;
  let page: Page;
  let token: { id: string };
  let sessionId: string;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    ({ page } = fixture.ada);
    token = await fixture.createToken('Reader', ['sessions:content']);
    createTerminalSession(fixture.agentFolder, 'session-a', fixture.folder, ['say hello from the terminal']);
    await page.goto('/console/sessions');
    const path = `/v1/control/machines/${fixture.machine.machineService.identity.machineId}/sessions`;
    sessionId = (await postFromPage(fixture.ada, path, { content: 'say hello', waitMs: 20_000 })).result.sessionId;
  });
  afterEach(() => page?.unrouteAll());
  afterAll(() => fixture?.stop());

  const pathOfMachine = () => `/console/machines/${fixture.machine.machineService.identity.machineId}`;
  const pathOfSession = () => `/console/sessions/${sessionId}`;
  const PATHS: Record<string, () => string> = {
    'a machine': pathOfMachine,
    'a session': pathOfSession,
    'a token': () => `/console/tokens/${token.id}`,
  };
  const refuse = (method: string, path: RegExp) => refuseCalls(page, method, path);
  const expectRefusal = (place: Page | Locator = page) =>
    place.getByText('Refused.', { exact: true }).first().waitFor();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  it.each([
    ['/console', /\/v1\/sessions\?/],
    ['/console/sessions', /\/v1\/sessions\?/],
    ['/console/sessions/new', /\/machines\?/],
    ['/console/machines', /\/machines\?/],
    ['/console/approvals', /\/permission-requests\?state=pending/],
    ['/console/artifacts', /\/artifacts\?/],
    ['a machine', /\/control\/machines\/mch_\w+$/],
    ['a session', /\/v1\/sessions\/ses_\w+$/],
    ['a session', /\/messages\?/],
    ['a session', /\/permission-requests\?/],
    ['a session', /\/key-grants\?/],
    ['a token', /\/v1\/sessions\?/],
  ])('if it can’t read a part of the page %s: %s', async (name, path) => {
    await refuse('GET', path);
    await page.goto(PATHS[name]?.() ?? name);
    await expectRefusal(page.getByRole('alert'));
  });

  describe('if an action fails, which can be repeated:', () => {
    const openSession = async (content?: string) => {
      await page.goto(pathOfSession());
      await page.getByText('Live', { exact: true }).waitFor();
      const path = `/v1/control/sessions/${sessionId}/messages`;
      if (content) await postFromPage(fixture.ada, path, { content, waitMs: 0 });
    };
    const openMachine = async () => {
      await page.goto(pathOfMachine());
      await page.getByRole('heading', { name: 'Run a command' }).waitFor();
    };

    it('Cancel turn', async () => {
      await openSession('silent');
      await page.getByRole('button', { name: 'Cancel turn' }).waitFor();
      await refuse('POST', /\/cancel$/);
      await press('Cancel turn');
      await expectRefusal(page.locator('.open-turn').getByRole('status'));
      await page.unrouteAll();
      await press('Cancel turn');
      await page.locator('.open-turn').waitFor({ state: 'detached' });
    });

    it('Agent options', async () => {
      await openSession();
      await refuse('GET', /\/options$/);
      await page.getByText('Agent options').click();
      await expectRefusal(page.locator('.agent-options').getByRole('alert'));
      await page.unrouteAll();
      await page.getByText('Agent options').click();
      await page.getByText('Agent options').click();
      await refuse('PATCH', /\/options$/);
      const mode = page.getByRole('combobox', { name: 'Mode', exact: true });
      await mode.selectOption('auto');
      await expectRefusal(page.locator('.agent-options').getByRole('alert'));
      await page.unrouteAll();
      await mode.selectOption('auto');
      await page.getByText('It counts from the next message on.').waitFor();
    });

    it('Answer', async () => {
      await openSession('question');
      await refuse('POST', /\/decision$/);
      await press('Answer');
      await expectRefusal(page.getByRole('article').getByRole('alert'));
      await page.unrouteAll();
      await press('Answer');
      await page.getByRole('article').waitFor({ state: 'detached' });
    });

    it('Cancel command', async () => {
      await openMachine();
      await page.getByLabel('Command', { exact: true }).fill('sleep 3600');
      await press('Run command');
      await page.getByRole('button', { name: 'Cancel command' }).waitFor();
      await refuse('POST', /\/cancel$/);
      await press('Cancel command');
      await expectRefusal(page.locator('.command-output').getByRole('alert'));
      await page.unrouteAll();
      await press('Cancel command');
      await page.getByText(/^Cancelled · inv_/).waitFor();
    });

    it('Show sessions, and Continue a copy', async () => {
      await openMachine();
      await refuse('GET', /\/agent-sessions\?/);
      await press('Show sessions');
      await expectRefusal(page.getByRole('alert'));
      await page.unrouteAll();
      await press('Show sessions');
      await page.getByRole('button', { name: 'Continue a copy' }).first().waitFor();
      await refuse('POST', /\/sessions$/);
      await page.getByRole('button', { name: 'Continue a copy' }).first().click();
      await expectRefusal(page.getByRole('alert'));
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Continue a copy' }).first().click();
      await page.waitForURL('**/console/sessions/ses_*');
    });

    it('Start session, which keeps what was typed', async () => {
      await openMachine();
      await refuse('POST', /\/sessions$/);
      await page.getByLabel('First message').fill('say started');
      await press('Start session');
      await expectRefusal(page.getByRole('form', { name: 'Start a session' }).getByRole('alert'));
      expect(await page.getByLabel('First message').inputValue()).toBe('say started');
      await page.unrouteAll();
      await press('Start session');
      await page.waitForURL('**/console/sessions/ses_*');
    });
  });
});

import { waitFor } from '../support/wait-for';
import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { expectAccessiblePage } from './support/visual-checks';
import type { BrowserUser } from './support/test-browser';

describe('what an agent asks, on other pages of the console', () => {
  let fixture: ContentFixture;
  let sessionId: string;
  let other: BrowserUser['page'];

  beforeAll(async () => {
    fixture = await ContentFixture.start();
    const { page, context } = fixture.ada;
    await context.grantPermissions(['notifications']);
    // Chromium without a window shows no notifications, so they are noted here.
    await context.addInitScript(() => {
      const shown: string[] = [];
      const Noted = class extends EventTarget {
        static readonly permission = 'granted';
        constructor(title: string, { body, tag }: NotificationOptions) {
          super();
          shown.push(`${title}: ${body} ${tag?.slice(0, 4)}`);
        }
      };
      Object.assign(window, { Notification: Noted, shownNotifications: shown });
    });
    await page.goto('/console/approvals');
    await page.getByRole('heading', { name: 'Nothing to decide' }).waitFor();
    const machineId = fixture.machine.machineService.identity.machineId;
    const { result } = await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, { tag: 'total' });
    sessionId = result.sessionId;
    other = await context.newPage();
  });
  afterEach(() => expect(fixture.ada.pageErrors.splice(0)).toEqual([]));
  afterAll(() => fixture?.stop());

  const send = (content: string) =>
    postFromPage(fixture.ada, `/v1/control/sessions/${sessionId}/messages`, { content, waitMs: 0 });
  const findCount = (page = other) => page.getByRole('navigation', { name: 'Console' }).locator('[data-count]');
  const findToast = () => other.getByRole('region', { name: 'Notices' }).getByRole('link');
  const decide = async (name: string) => {
    await fixture.ada.page.getByRole('button', { name }).last().click();
  };

  it('is counted in the navigation and the title, and said once in a notice that leads to the session', async () => {
    await other.goto('/console/tokens');
    // One of the two pages has the stream for both.
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    await send('ask');
    await findToast().waitFor();
    expect(await findToast().textContent()).toMatch(/^“.+” needs your approval\.$/);
    expect(await findCount().textContent()).toBe('1');
    expect(await other.title()).toBe('(1) Tokens · External API');
    expect(await findCount(fixture.ada.page).textContent()).toBe('1');
    // The page itself shows the request.
    expect(await fixture.ada.page.getByRole('region', { name: 'Notices' }).getByRole('link').count()).toBe(0);
    await other.goto('/console/usage');
    await findCount().waitFor();
    expect(await findToast().count()).toBe(0);
  });

  it('disappears when somebody has decided', async () => {
    await decide('Reject');
    await findCount().waitFor({ state: 'hidden' });
    expect(await other.title()).toBe('Usage · External API');
    await send('question');
    await findToast().waitFor();
    expect(await findToast().textContent()).toContain('asks a question.');
    await expectAccessiblePage(Object.create(fixture.ada, { page: { value: other } }) as BrowserUser, 'notice');
    await decide('Decline');
    await findToast().waitFor({ state: 'detached' });
  });

  it('can be dismissed, and opened', async () => {
    await send('ask');
    await findToast().waitFor();
    await other.getByRole('button', { name: 'Dismiss' }).click();
    expect(await findToast().count()).toBe(0);
    expect(await findCount().textContent()).toBe('1');
    await decide('Reject');
    await findCount().waitFor({ state: 'hidden' });
    await send('ask');
    await findToast().click();
    await other.waitForURL(`**/console/sessions/${sessionId}`);
    await findCount().waitFor();
    await waitFor(async () => expect(await other.title()).toMatch(/^\(1\) .+ · External API$/));
    expect(await findToast().count()).toBe(0);
    await decide('Reject');
  });

  it('is a notification of the browser if no page has the focus, in one page', async () => {
    await other.goto('/console/usage');
    await findCount().waitFor({ state: 'hidden' });
    for (const page of [other, fixture.ada.page]) {
      await page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
    }
    await send('ask');
    const readShown = async () =>
      (await Promise.all([other, fixture.ada.page].map((page) => page.evaluate('shownNotifications')))).flat();
    await waitFor(async () =>
      expect(await readShown()).toEqual([expect.stringMatching(/^External API: “.+” needs your approval\. /)]),
    );
    await decide('Reject');
  });

  it('asks for the permission to notify after a click only', async () => {
    const reader = await fixture.browser.openProfile(fixture.service.url);
    await reader.context.addCookies(await fixture.ada.context.cookies());
    await reader.page.addInitScript(() => {
      let asked = 0;
      const Noted = {
        permission: 'default',
        requestPermission: () => {
          asked += 1;
          return Promise.resolve('denied');
        },
      };
      Object.assign(window, { Notification: Noted, countQuestions: () => asked });
    });
    await reader.page.goto('/console/approvals');
    const button = reader.page.getByRole('button', { name: 'Notify me in this browser' });
    await button.waitFor();
    expect(await reader.page.evaluate('countQuestions()')).toBe(0);
    await button.click();
    await reader.page.getByText('Notifications are blocked in the settings of this browser.').waitFor();
    expect(await reader.page.evaluate('countQuestions()')).toBe(1);
    await reader.context.close();
  });
});

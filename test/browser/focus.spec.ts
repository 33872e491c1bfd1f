import type { Locator, Route } from 'playwright-core';
import { ContentFixture } from './support/content-fixture';
import { refuseCalls, refuseRequest } from './support/refuse-request';

describe('the keyboard focus', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await fixture.createToken('deploys', ['sessions:content']);
  });
  afterAll(() => fixture?.stop());

  const open = async () => {
    await fixture.ada.page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    return fixture.ada.page;
  };
  const button = (name: string) => fixture.ada.page.getByRole('button', { name, exact: true });
  const press = async (name: string) => {
    await button(name).focus();
    await fixture.ada.page.keyboard.press('Enter');
  };
  const expectFocus = (element: Locator) => element.and(fixture.ada.page.locator(':focus')).waitFor();
  /** Holds back such calls of the page. Returns a function that answers them. */
  const holdCalls = async (path: RegExp, answer: (route: Route) => Promise<void>) => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    await fixture.ada.page.route(path, (route) => released.then(() => answer(route)));
    return release;
  };
  const waitForDisabled = (name: string) =>
    fixture.ada.page.getByRole('button', { name, exact: true, disabled: true }).waitFor();

  it('goes to a question, not to the button that confirms it, and back when it is cancelled', async () => {
    const page = await open();
    for (let n = 0; n < 2; n++) {
      await press('End session …');
      await expectFocus(page.getByRole('group', { name: 'End session' }));
      await page.keyboard.press('Tab');
      await expectFocus(button('End session'));
      await press('Cancel');
      await expectFocus(button('End session …'));
    }
  });

  it('stays where an action was confirmed and has failed, before which it can’t be confirmed again', async () => {
    const page = await open();
    const release = await holdCalls(/\/end$/, (route) => refuseRequest(route, 400, 'invalid_request'));
    await press('End session …');
    await press('End session');
    for (const name of ['End session', 'Cancel']) await waitForDisabled(name);
    release();
    await page.getByRole('alert').getByText('Refused.').waitFor();
    await expectFocus(button('End session …'));
    await page.unrouteAll();
  });

  it('goes to the form that shares a session, and back when it is closed or has shared', async () => {
    const page = await open();
    await press('Share …');
    await expectFocus(page.getByRole('combobox', { name: /^Who/ }));
    await press('Cancel');
    await expectFocus(button('Share …'));
    await press('Share …');
    const release = await holdCalls(/\/key-grants$/, (route) => route.continue());
    await page.getByRole('combobox', { name: /^Who/ }).selectOption({ label: 'deploys' });
    await press('Share');
    await waitForDisabled('Cancel');
    release();
    await page.getByRole('listitem').filter({ hasText: 'Token deploys' }).waitFor();
    await expectFocus(button('Share …'));
    await page.unrouteAll();
  });

  it('goes to the question whether to revoke, returns after a failure, and stays where a grant is gone', async () => {
    const page = await open();
    const question = page.getByRole('group', { name: 'Revoke Token deploys?' });
    await press('Revoke Token deploys');
    await expectFocus(question);
    await press('Cancel');
    await expectFocus(button('Revoke Token deploys'));
    await press('Revoke Token deploys');
    await refuseCalls(page, 'DELETE', /\/key-grants\/\w+$/);
    await press('Revoke');
    await question.getByText('Refused.').waitFor();
    await expectFocus(button('Revoke'));
    await page.unrouteAll();
    await press('Revoke');
    await page.getByText('Not shared with any token or app.').waitFor();
    await expectFocus(page.getByRole('region', { name: 'Who can read' }));
    await page.keyboard.press('Tab');
    await expectFocus(button('Share …'));
  });

  it('stays among the files of a message when one is removed', async () => {
    const page = await open();
    const files = ['a', 'b'].map((name) => ({
      name: `${name}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(name),
    }));
    await page.locator('.composer input[type="file"]').setInputFiles(files);
    await press('Remove b.txt');
    await expectFocus(page.getByRole('list', { name: 'Attached files' }));
    await page.keyboard.press('Tab');
    await expectFocus(button('Remove a.txt'));
  });

  it('does not return to an element that the user has left', async () => {
    const page = await open();
    await button('Details').focus();
    await page.getByRole('heading', { name: 'build box' }).click();
    await page.evaluate(() => document.querySelector('.live-status')!.remove());
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  });

  it('does not return to a button that was disabled when the user clicked elsewhere', async () => {
    const page = await open();
    const release = await holdCalls(/\/end$/, (route) => refuseRequest(route, 400, 'invalid_request'));
    await press('End session …');
    await press('End session');
    await waitForDisabled('End session');
    await page.getByRole('heading', { name: 'build box' }).click();
    release();
    await page.getByRole('alert').getByText('Refused.').waitFor();
    await button('End session …').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await page.unrouteAll();
  });

  it('stays where the user has gone from a form that was closed while it saved a title', async () => {
    const page = await open();
    const release = await holdCalls(/\/v1\/sessions\/ses_\w+$/, (route) => route.continue());
    await press('Rename');
    await page.getByLabel('Title').fill('Renamed');
    await page.getByLabel('Title').press('Enter');
    await waitForDisabled('Save title');
    await page.getByLabel('Title').press('Escape');
    await expectFocus(button('Rename'));
    const box = page.getByLabel('Message', { exact: true });
    await box.focus();
    release();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    await expectFocus(box);
    await page.unrouteAll();
  });
});

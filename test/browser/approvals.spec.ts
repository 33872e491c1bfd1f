import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { waitFor } from '../support/wait-for';
import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { expectAccessiblePage } from './support/visual-checks';

const DECISION = /\/decision$/;

describe('the page of approvals', () => {
  let fixture: ContentFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ContentFixture.start();
    const { page } = fixture.ada;
    await page.goto('/console/approvals');
    await page.getByRole('heading', { name: 'Nothing to decide' }).waitFor();
    const machineId = fixture.machine.machineService.identity.machineId;
    const { result } = await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, {});
    sessionId = result.sessionId;
  });
  afterAll(() => fixture?.stop());

  const send = (content: string) =>
    postFromPage(fixture.ada, `/v1/control/sessions/${sessionId}/messages`, { content, waitMs: 0 });
  const findCard = (title: string, page = fixture.ada.page) => page.getByRole('article', { name: title, exact: true });

  it('shows what is asked as soon as an agent asks, and allows it', async () => {
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    await send('edit notes.txt first line');
    const card = findCard('Edit notes.txt');
    await card.waitFor();
    expect(await card.textContent()).toContain('on build box');
    expect(await card.locator('.diff-line.added').textContent()).toBe('+added: first line');
    await card.getByText(/expires in \d+ min/).waitFor();
    await expectAccessiblePage(fixture.ada, 'approvals');
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await card.getByText('Allowed.', { exact: true }).waitFor();
    await waitFor(() => expect(readFileSync(join(fixture.folder, 'notes.txt'), 'utf8')).toBe('first line\n'));
  });

  it('shows removed and added lines, and rejects', async () => {
    await send('edit notes.txt second line');
    const card = findCard('Edit notes.txt').filter({ hasText: 'waiting for you' });
    await card.locator('.diff-line.removed').waitFor();
    expect(await card.locator('.diff-line.removed').textContent()).toBe('−removed: first line');
    await card.getByRole('button', { name: 'Reject' }).click();
    await fixture.ada.page.getByText('Rejected.', { exact: true }).waitFor();
    expect(readFileSync(join(fixture.folder, 'notes.txt'), 'utf8')).toBe('first line\n');
  });

  it('gives the agent a message with the decision, which the service cannot read', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/approvals');
    await page.getByText('Live', { exact: true }).waitFor();
    await send('edit notes.txt third line');
    const card = findCard('Edit notes.txt').filter({ hasText: 'waiting for you' });
    await card.getByLabel('Message to the agent (optional)').fill('say Then another file.');
    await expectAccessiblePage(fixture.ada, 'approval-message');
    const sent = page.waitForRequest(/\/decision$/);
    await card.getByRole('button', { name: 'Reject' }).click();
    const body = (await sent).postDataJSON();
    expect(Object.keys(body).sort()).toEqual(['contentHash', 'optionId', 'sealedMessage']);
    await page.getByText('Rejected. The agent gets your message next.', { exact: true }).waitFor();
    await page.goto(`/console/sessions/${sessionId}`);
    await page.getByText('Then another file.', { exact: true }).waitFor();
    expect(readFileSync(join(fixture.folder, 'notes.txt'), 'utf8')).toBe('first line\n');
    await page.goto('/console/approvals');
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('shows text of agents as text, with what is invisible in it', async () => {
    await send('edit <i>a\u202etxt\u200b.js <script>alert(1)</script>');
    const card = findCard('Edit <i>a\\u{202e}txt\\u{200b}.js');
    await card.waitFor();
    expect(await card.locator('.diff-line.added').textContent()).toBe('+added: <script>alert(1)</script>');
    expect(await card.locator('script, i').count()).toBe(0);
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.getByText('Rejected.').waitFor();
  });

  it('names options that last, and those with the same effect', async () => {
    await send('ask-choice');
    const card = findCard('Delete the build').filter({ hasText: 'waiting for you' });
    await card.getByRole('button', { name: 'Allow all edits' }).waitFor();
    const names = await card.getByRole('button').allTextContents();
    expect(names).toEqual(['AllowAllow this file', 'AllowAllow all edits', 'Reject']);
    await card.getByRole('button', { name: 'Allow this file' }).click();
    await fixture.ada.page.getByText('Allowed.', { exact: true }).first().waitFor();
    await send('ask');
    const next = findCard('Delete the build').filter({ hasText: 'waiting for you' });
    await next.getByRole('button', { name: 'Always allow' }).click();
    await fixture.ada.page.getByText('Allowed.', { exact: true }).nth(1).waitFor();
  });

  it('tells the second of two tabs that somebody else was faster', async () => {
    const other = await fixture.ada.context.newPage();
    await other.goto('/console/approvals');
    // The second tab learns nothing about the decision of the first.
    await other.getByText('Live', { exact: true }).waitFor();
    await send('edit race.txt done');
    const [first, second] = [findCard('Edit race.txt'), findCard('Edit race.txt', other)];
    await second.waitFor();
    await other.route('**/v1/permission-requests**', () => undefined);
    await other.route(/permission-requests\/perm_[^/]*$/, () => undefined);
    await first.getByRole('button', { name: 'Reject' }).click();
    await first.getByText('Rejected.').waitFor();
    await second.getByRole('button', { name: 'Allow', exact: true }).click();
    await second.getByText('Somebody else was faster').waitFor();
    expect(existsSync(join(fixture.folder, 'race.txt'))).toBe(false);
    await other.close();
  });

  it('shows the same decision in two tabs that decide at the same moment', async () => {
    const { page, context } = fixture.ada;
    const other = await context.newPage();
    await other.goto('/console/approvals');
    await other.getByText('Live', { exact: true }).waitFor();
    await send('edit together.txt done');
    const cards = [findCard('Edit together.txt'), findCard('Edit together.txt', other)] as const;
    const held: Route[] = [];
    for (const tab of [page, other]) await tab.route(DECISION, (route) => void held.push(route));
    await cards[0].getByRole('button', { name: 'Allow', exact: true }).click();
    await cards[1].getByRole('button', { name: 'Reject' }).click();
    await waitFor(() => expect(held).toHaveLength(2));
    await Promise.all(held.map((route) => route.continue()));
    const [state, otherState] = await Promise.all(
      cards.map((card) => card.getByText(/^(allowed|rejected)$/).textContent()),
    );
    expect(otherState).toBe(state);
    const isAllowed = state === 'allowed';
    const [faster, slower] = isAllowed ? cards : [cards[1], cards[0]];
    const text = isAllowed ? 'Allowed' : 'Rejected';
    await faster.getByText(`${text}.`, { exact: true }).waitFor();
    await slower.getByText(new RegExp(`^Somebody else was faster.* ${text} by`)).waitFor();
    await waitFor(() => expect(existsSync(join(fixture.folder, 'together.txt'))).toBe(isAllowed));
    await page.unroute(DECISION);
    await other.close();
  });

  it('says so on the page of a session, too, where what is decided becomes a line', async () => {
    const { page, context } = fixture.ada;
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await tab.goto(`/console/sessions/${sessionId}`);
      await tab.getByText('Live', { exact: true }).waitFor();
    }
    await send('edit slower.txt done');
    const [faster, slower] = [findCard('Edit slower.txt'), findCard('Edit slower.txt', other)];
    const held: Route[] = [];
    await other.route(DECISION, (route) => void held.push(route));
    await slower.getByRole('button', { name: 'Allow', exact: true }).click();
    await waitFor(() => expect(held).toHaveLength(1));
    await faster.getByRole('button', { name: 'Reject' }).click();
    await page.locator('.decision.is-rejected').filter({ hasText: 'Edit slower.txt' }).waitFor();
    // The event of the decision arrives before the answer to the other one.
    await slower.getByText(/^Rejected by/).waitFor();
    await held[0]!.continue();
    const line = other.locator('.decision.is-rejected').filter({ hasText: 'Edit slower.txt' });
    await line.getByText(/^Somebody else was faster.* Rejected by/).waitFor();
    expect(await faster.count()).toBe(0);
    expect(existsSync(join(fixture.folder, 'slower.txt'))).toBe(false);
    await other.close();
    await page.goto('/console/approvals');
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('sends a decision again that the person made while offline', async () => {
    await send('edit back-online.txt done');
    const card = findCard('Edit back-online.txt');
    await card.waitFor();
    await fixture.ada.context.setOffline(true);
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await card.getByText(/Nobody knows whether the agent got your decision/).waitFor();
    await fixture.ada.context.setOffline(false);
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await card.getByText('Allowed.', { exact: true }).waitFor();
    await waitFor(() => expect(existsSync(join(fixture.folder, 'back-online.txt'))).toBe(true));
  });

  it('keeps a request at its place that was decided elsewhere, without its buttons', async () => {
    const other = await fixture.ada.context.newPage();
    await other.goto('/console/approvals');
    await send('edit elsewhere.txt done');
    const [here, there] = [findCard('Edit elsewhere.txt'), findCard('Edit elsewhere.txt', other)];
    await here.waitFor();
    await there.getByRole('button', { name: 'Allow', exact: true }).click();
    await here.getByText(/^Allowed by your device Chrome on Linux/).waitFor();
    expect(await here.getByRole('button').count()).toBe(0);
    await other.close();
  });

  it('lists what was decided, and by whom, after a reload', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/approvals');
    const row = page.getByRole('row').filter({ hasText: 'Edit elsewhere.txt' });
    await row.waitFor();
    expect(await row.textContent()).toContain('Allowed by your device Chrome on Linux');
    await page.setViewportSize({ width: 390, height: 844 });
    await send('edit phone.txt a line that is long enough to be wrapped on the screen of a phone');
    await findCard('Edit phone.txt').waitFor();
    await expectAccessiblePage(fixture.ada, 'approvals-phone');
    await page.setViewportSize({ width: 1280, height: 720 });
    await findCard('Edit phone.txt').getByRole('button', { name: 'Reject' }).click();
    await findCard('Edit phone.txt').getByText('Rejected.').waitFor();
  });

  it('names the token that decided, and a deleted one by its ID', async () => {
    const { id } = await fixture.createToken('release bot', []);
    const { page } = fixture.ada;
    const decidedBy = [id, 'tok_01m8zzzzzzzzzzzzzzzzzzh1r9'].map((tokenId) => ({ tokenId, deviceId: null }));
    await page.route('**/v1/permission-requests?limit=*', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      const data = json.data.slice(0, 2).map((record: object, n: number) => ({ ...record, decidedBy: decidedBy[n] }));
      await route.fulfill({ response: answer, json: { ...json, data } });
    });
    await page.goto('/console/approvals');
    await page.getByText(/ed by the token release bot/).waitFor();
    await page.getByText(/ed by the token tok_01m8…h1r9/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('says why a decision has no effect when the machine has stopped', async () => {
    const { page } = fixture.ada;
    await send('edit offline.txt done');
    const card = findCard('Edit offline.txt');
    await card.waitFor();
    // The page doesn't learn that the machine has cancelled the turn when it stopped.
    await page.route('**/v1/permission-requests**', () => undefined);
    await fixture.machine.stop();
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await card.getByText(/machine is offline|nobody has to decide|Your decision didn’t count/).waitFor();
    await page.unroute('**/v1/permission-requests**');
  });

  it('lets nobody decide without keys', async () => {
    const other = await fixture.browser.openProfile(fixture.service.url);
    await other.context.addCookies(await fixture.ada.context.cookies());
    await other.page.route('**/v1/permission-requests?state=pending*', async (route) => {
      const answer = await route.fetch({ url: route.request().url().replace('state=pending&', '') });
      const json = await answer.json();
      const data = [{ ...json.data[0], state: 'pending' }];
      await route.fulfill({ response: answer, json: { ...json, data } });
    });
    await other.page.goto('/console/approvals');
    await other.page.getByText('no key for the session').waitFor();
    for (const name of ['Allow', 'Reject']) {
      expect(await other.page.getByRole('button', { name }).isDisabled()).toBe(true);
    }
    // The page asks again by itself, and closing would fail a request that is fetched just now.
    await other.page.unrouteAll({ behavior: 'wait' });
    await other.context.close();
  });

  it('reports no error of the pages', () => {
    const unexpected = fixture.ada.pageErrors.filter(
      (error) => !/status of (409|503)|ERR_INTERNET_DISCONNECTED/.test(error),
    );
    expect(unexpected).toEqual([]);
  });
});

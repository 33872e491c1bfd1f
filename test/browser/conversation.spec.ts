import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Route } from 'playwright-core';
import { waitFor } from '../support/wait-for';
import { appendMessages } from './support/append-messages';
import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { focusWithTab } from './support/keyboard';
import { expectAccessiblePage } from './support/visual-checks';

const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 700 } };

describe('the page of a session as a conversation', () => {
  let fixture: ContentFixture;
  let sessionId: string;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await appendMessages(fixture, 60, (index) => ({ localId: `m-${index}`, text: `message ${index} `.repeat(30) }));
    await fixture.ada.page.goto('/console/approvals');
    await fixture.ada.page.getByRole('heading', { name: 'Nothing to decide' }).waitFor();
    const machineId = fixture.machine.machineService.identity.machineId;
    sessionId = (await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, {})).result.sessionId;
  });
  afterAll(() => fixture?.stop());
  afterEach(async () => {
    expect(fixture.ada.pageErrors.splice(0)).toEqual([]);
    await fixture.ada.page.setViewportSize(SIZES.wide);
  });

  const open = async (id = fixture.machine.sessionId) => {
    await fixture.ada.page.goto(`/console/sessions/${id}`);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    return fixture.ada.page;
  };
  const getField = () => fixture.ada.page.getByLabel('Message', { exact: true });
  const send = async (text: string) => {
    await getField().fill(text);
    await getField().press('Control+Enter');
  };
  const findMessage = (text: string | RegExp) => fixture.ada.page.locator('.message').filter({ hasText: text });
  /** Whether the whole element is in the window. */
  const isInSight = (element: Locator) =>
    element.evaluate((shown) => {
      const { top, bottom } = shown.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  const isAtEnd = () =>
    fixture.ada.page
      .locator('.messages')
      .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2);

  it.each(Object.entries(SIZES))('has the box to write and the newest message in sight: %s', async (name, size) => {
    const { page } = fixture.ada;
    await page.setViewportSize(size);
    await open();
    await findMessage('message 59').waitFor();
    await waitFor(async () => expect(await isAtEnd()).toBe(true));
    expect(await isInSight(getField())).toBe(true);
    expect(await isInSight(page.getByRole('button', { name: 'Send message' }))).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    await expectAccessiblePage(fixture.ada, `conversation-${name}`);
    await page.locator('.messages').evaluate((box) => (box.scrollTop = 0));
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    expect(await isInSight(getField())).toBe(true);
  });

  it('follows what comes while the end is in sight, and says how much has come otherwise', async () => {
    const page = await open(sessionId);
    await send(Array.from({ length: 30 }, (_, n) => `tool output ${n}`).join('\n') + '\nsay All done');
    await findMessage(/^Agent.*All done$/).waitFor();
    await page.locator('.turn-mark').filter({ hasText: /^Done/ }).waitFor();
    await waitFor(async () => expect(await isAtEnd()).toBe(true));
    await page.locator('.messages').evaluate((box) => (box.scrollTop = 0));
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    const path = `/v1/control/sessions/${sessionId}/messages`;
    await postFromPage(fixture.ada, path, { content: 'say unseen', waitMs: 0 });
    await page.getByRole('button', { name: '2 new messages' }).click();
    await findMessage(/unseen$/)
      .last()
      .waitFor();
    await waitFor(async () => expect(await isAtEnd()).toBe(true));
    await page.getByRole('button', { name: /Newest|new message/ }).waitFor({ state: 'detached' });
    // Who writes wants to see the answer.
    await page.locator('.messages').evaluate((box) => (box.scrollTop = 0));
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    await send('say answered');
    await findMessage(/answered$/)
      .last()
      .waitFor();
    await waitFor(async () => expect(await isAtEnd()).toBe(true));
  });

  it('asks at the end, and folds what was decided to a line at its place', async () => {
    const page = await open(sessionId);
    await send('edit notes.txt first line\nsay Written');
    const card = page.getByRole('article', { name: 'Edit notes.txt' });
    await card.waitFor();
    await waitFor(async () =>
      expect(await isInSight(card.getByRole('button', { name: 'Allow', exact: true }))).toBe(true),
    );
    expect(await isInSight(getField())).toBe(true);
    await expectAccessiblePage(fixture.ada, 'conversation-approval');
    await card.getByRole('button', { name: 'Allow', exact: true }).press('Enter');
    const line = page.locator('.decision').filter({ hasText: 'Edit notes.txt' });
    await line.getByText(/^Allowed by your device Chrome on Linux/).waitFor();
    await findMessage(/^Agent.*Written$/).waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    expect((await line.boundingBox())!.height).toBeLessThan(60);
    const [place, end] = [(await line.boundingBox())!.y, (await findMessage(/^Agent.*Written$/).boundingBox())!.y];
    expect(place).toBeLessThan(end);
    await line.getByText('Edit notes.txt').click();
    await line.locator('.diff-line.added').waitFor();
    await expectAccessiblePage(fixture.ada, 'conversation-decided');
  });

  it('names who has decided also if that becomes known after the request was folded', async () => {
    const page = await open(sessionId);
    // As when the machine's own report of the decision comes before its answer.
    const isRequest = ({ pathname }: URL) => /\/permission-requests\/\w+$/.test(pathname);
    const hideDecider = async (route: Route) => {
      const answer = await route.fetch();
      const { data } = await answer.json();
      await route.fulfill({ response: answer, json: { data: { ...data, decidedBy: null } } });
    };
    await page.route(isRequest, hideDecider, { times: 1 });
    await send('edit later.txt first line');
    const card = page.getByRole('article', { name: 'Edit later.txt' });
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    const line = page.locator('.decision').filter({ hasText: 'Edit later.txt' });
    await line.getByText(/^Allowed by your device Chrome on Linux/).waitFor();
  });

  it('moves no button while a second request waits', async () => {
    const page = await open(sessionId);
    await send('ask-twice');
    const cards = page.getByRole('article', { name: 'Delete the build' });
    await cards.nth(1).waitFor();
    await cards.nth(0).getByRole('button', { name: 'Reject' }).click();
    await cards.nth(0).getByText('Rejected.').waitFor();
    await cards.nth(0).getByText('rejected', { exact: true }).waitFor();
    expect(await cards.count()).toBe(2);
    await cards.nth(1).getByRole('button', { name: 'Allow', exact: true }).click();
    await cards.first().waitFor({ state: 'detached' });
    expect(await page.locator('.decision').filter({ hasText: 'Delete the build' }).count()).toBe(2);
  });

  it('folds thoughts to their last line', async () => {
    const page = await open(sessionId);
    await send('think Which test is missing\nwait-for thought\nsay Found it');
    const thought = page.locator('.thought');
    await thought.getByText('Which test is missing').first().waitFor();
    expect(await thought.locator('.body').isVisible()).toBe(false);
    await thought.locator('summary').click();
    expect(await thought.locator('.body').isVisible()).toBe(true);
    writeFileSync(join(fixture.folder, 'thought'), '');
    await findMessage(/^Agent.*Found it$/).waitFor();
    await thought.waitFor({ state: 'detached' });
  });

  it('has details in a panel, which is a sheet on phones', async () => {
    const { page } = fixture.ada;
    await open(sessionId);
    const panel = page.locator('.side-panel');
    await panel.getByRole('heading', { name: 'Who can read' }).waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.setViewportSize(SIZES.phone);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await panel.count()).toBe(0);
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Artifacts' }).waitFor();
    await expectAccessiblePage(fixture.ada, 'conversation-sheet');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    const isFocused = (element: Element) => element === document.activeElement;
    expect(await page.getByRole('button', { name: 'Details' }).evaluate(isFocused)).toBe(true);
  });

  it.each(['Control+Enter', 'Meta+Enter'])('works with the keyboard alone, and sends with %s', async (keys) => {
    const page = await open(sessionId);
    await focusWithTab(page, getField());
    await page.keyboard.type(`say typed before ${keys}`);
    await page.keyboard.press(keys);
    await findMessage(`typed before ${keys}`).last().waitFor();
    await waitFor(async () => expect(await getField().inputValue()).toBe(''));
    expect(await getField().evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

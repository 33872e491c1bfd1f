import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContentFixture } from './support/content-fixture';
import { refuseCalls } from './support/refuse-request';
import { expectAccessiblePage } from './support/visual-checks';

describe('the page of a session', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
  });
  afterAll(() => fixture?.stop());
  afterEach(() => {
    expect(fixture.ada.pageErrors.splice(0)).toEqual([]);
  });

  const open = async () => {
    await fixture.ada.page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    return fixture.ada.page;
  };
  const send = async (text: string) => {
    const { page } = fixture.ada;
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Send message' }).click();
  };

  it('sends an encrypted message, and shows what the agent writes and does without a reload', async () => {
    const page = await open();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await send('say Hello <b>world</b> \u202eelif\ntool the whole output\nwait-for go\nsay All done');
    const messages = page.getByRole('list').locator('.message');
    await messages.filter({ hasText: 'Hello <b>world</b> \\u{202e}elif' }).first().waitFor();
    await page.getByText('The agent is working', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel turn' }).waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('');
    writeFileSync(join(fixture.folder, 'go'), '');
    await page.locator('.message.assistant:not(.writing)').filter({ hasText: 'All done' }).waitFor();
    await page.getByText('The agent is working', { exact: true }).waitFor({ state: 'hidden' });

    const toolCall = messages.filter({ hasText: 'Run a command' });
    expect(await toolCall.getByText('the whole output').isVisible()).toBe(false);
    await toolCall.getByText('Run a command').click();
    await toolCall.getByText('the whole output').waitFor();
    // The service gets ciphertext only, and no mark-up of a stranger becomes part of the page.
    expect(sent.join()).not.toContain('Hello');
    expect(await page.locator('.message b').count()).toBe(0);
    await page.locator('.side-panel').getByRole('link', { name: 'build box', exact: true }).waitFor();
    await expectAccessiblePage(fixture.ada, 'session');
  });

  it('offers to steer and to interrupt while the agent works', async () => {
    const page = await open();
    await send('silent');
    await page.getByText('The agent is working', { exact: true }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('say steered');
    await page.getByRole('button', { name: 'Steer' }).click();
    await page.getByText('This agent takes no messages while it works').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('say interrupted');
    await page.getByRole('button', { name: 'Interrupt and send' }).click();
    await page.locator('.message').filter({ hasText: 'interrupted' }).last().waitFor();
    await page.getByRole('button', { name: 'Interrupt and send' }).waitFor({ state: 'hidden' });
    // The refusal to steer is the only error of the page.
    expect(fixture.ada.pageErrors.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  it('shows the options of the agent, and changes them', async () => {
    const page = await open();
    await send('mode');
    await page.locator('.message').filter({ hasText: 'ask, set by the client' }).first().waitFor();
    await page.getByText('Agent options').click();
    const mode = page.getByRole('combobox', { name: 'Mode', exact: true });
    await mode.selectOption('auto');
    await page.getByText('It counts from the next message on.').waitFor();
    await send('mode');
    await page.locator('.message').filter({ hasText: 'auto, set by the client' }).first().waitFor();
    await mode.selectOption('ask');
    await page.getByText('It counts from the next message on.').waitFor();
    await expectAccessiblePage(fixture.ada, 'session');
  });

  it('lets nobody change the options of the agent while it reads them again', async () => {
    const page = await open();
    const summary = page.getByText('Agent options');
    const findMode = (disabled: boolean) => page.getByRole('combobox', { name: 'Mode', exact: true, disabled });
    await summary.click();
    await findMode(false).waitFor();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/options$/, (route) => released.then(() => route.continue()));
    await summary.click();
    await summary.click();
    await findMode(true).waitFor();
    release();
    await findMode(false).waitFor();
    await page.unroute(/\/options$/);
  });

  it('shows a tool call, the plan and a thought while the agent works, until they are over', async () => {
    const page = await open();
    const folder = fixture.folder;
    await send('plan Build it|Test it\nthink Which test\nwait-for thought\nwaiting-tool <b>found</b>\nsay The end.');
    const writing = page.locator('.message.writing');
    await writing.filter({ hasText: 'Which test' }).getByText('thinking').waitFor();
    const plan = writing.filter({ hasText: 'Build it' });
    await plan.getByText('done', { exact: true }).waitFor();
    await plan.getByText('now', { exact: true }).waitFor();
    writeFileSync(join(folder, 'thought'), '');
    const tool = writing.filter({ hasText: 'Run the tests' });
    await tool.getByText('running', { exact: true }).waitFor();
    await tool.getByText('<b>found</b>').waitFor();
    await expectAccessiblePage(fixture.ada, 'session-progress');
    writeFileSync(join(folder, 'tool'), '');
    await page.locator('.message.assistant:not(.writing)').filter({ hasText: 'The end.' }).waitFor();
    await writing.first().waitFor({ state: 'detached' });
    await page.locator('.message.tool:not(.writing)').filter({ hasText: 'Run the tests' }).waitFor();
  });

  it('tells an agent that waits from one that works', async () => {
    const page = await open();
    await page.route(/\/turns\?/, async (route) => {
      const response = await route.fetch();
      const { data, ...others } = (await response.json()) as { data: object[] };
      const silentSince = Date.now() - 300_000;
      const json = { ...others, data: data.map((turn) => ({ ...turn, lastActivityAt: silentSince })) };
      await route.fulfill({ response, json });
    });
    await send('silent');
    await page.getByText('The agent waits, perhaps for its model').waitFor();
    expect(await page.locator('.open-turn').textContent()).toContain('last sign of life 5 min ago');
    await page.unroute(/\/turns\?/);
    await page.getByRole('button', { name: 'Cancel turn' }).click();
    await page.locator('.open-turn').waitFor({ state: 'detached' });
    await page
      .locator('.turn-mark')
      .filter({ hasText: /^Cancelled/ })
      .last()
      .waitFor();
  });

  it('marks the end of a turn, and what the agent does by itself', async () => {
    const page = await open();
    await send('context 48200 200000 0.0425\nlater 200 say The build is done ; tool logs\nsay Started');
    const marks = page.locator('.turn-mark');
    await marks.filter({ hasText: /^Done · \d+ s · \d+ tokens in, 7 out · \$0\.0425$/ }).waitFor();
    await page.locator('.side-panel').getByText('24% of 200K tokens of context').waitFor();
    await page.getByText('The agent is working by itself').waitFor();
    const own = marks.filter({ hasText: 'The agent went on by itself' });
    expect(await own.locator('xpath=following-sibling::li[1]').textContent()).toContain('The build is done');
    await expectAccessiblePage(fixture.ada, 'session-turns');
  });

  it('renames the session in its place, encrypted, and keeps the name', async () => {
    const page = await open();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    const rename = page.getByRole('button', { name: 'Rename' });
    const title = page.getByLabel('Title');
    const isFocused = (element: Element) => element === document.activeElement;
    await rename.click();
    expect(await title.evaluate(isFocused)).toBe(true);
    await title.press('Escape');
    await title.waitFor({ state: 'detached' });
    expect(await rename.evaluate(isFocused)).toBe(true);
    await rename.click();
    await title.fill('Nightly <b>build</b>');
    await expectAccessiblePage(fixture.ada, 'session-rename');
    // What an input method proposed is discarded, not the title.
    await title.dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true });
    await title.press('Enter');
    await page.getByRole('heading', { name: 'Nightly <b>build</b>' }).waitFor();
    expect(sent.join()).not.toContain('Nightly');
    await send('name Another title\nsay named');
    await page.locator('.message.assistant').filter({ hasText: 'named' }).waitFor();
    await page.goto('/console/sessions');
    await page.getByRole('link', { name: 'Nightly <b>build</b>' }).waitFor();
  });

  it('keeps a new title that could not be saved, which can be saved again', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Rename' }).click();
    const title = page.getByLabel('Title');
    await refuseCalls(page, 'PATCH', /\/v1\/sessions\/ses_\w+$/);
    await title.fill('Kept');
    await title.press('Enter');
    await page.getByText('Refused.').waitFor();
    expect(await title.inputValue()).toBe('Kept');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Save title' }).click();
    await page.getByRole('heading', { name: 'Kept' }).waitFor();
    expect(fixture.ada.pageErrors.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  });

  it('cancels a turn', async () => {
    const page = await open();
    await send('silent');
    await page.getByRole('button', { name: 'Cancel turn' }).click();
    await page.getByText('The agent is working', { exact: true }).waitFor({ state: 'hidden' });
  });

  it('loads earlier messages of a long session on the way up, and goes to both ends', async () => {
    const page = await open();
    await send(Array.from({ length: 130 }, (_, n) => `tool output ${n}`).join('\n'));
    const position = page.locator('.history-position small');
    await page.getByText(/ to (1[3-9]\d) of \1/).waitFor();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText(/^Messages [2-9]\d to /).waitFor();
    const box = page.locator('.messages');
    await box.hover();
    await page.mouse.wheel(0, -100_000);
    await page.getByText(/^Messages 1 to /).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Go to the first' }).click();
    await page.getByText(/^Messages 1 to 100 of /).waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByText(/^Messages [2-9]\d to /).waitFor();
    expect(await position.textContent()).toMatch(/to (\d+) of \1$/);
  });

  it('says that a device is offline, and queues the message', async () => {
    const page = await open();
    await fixture.machine.stop();
    await send('say delivered later');
    await page.getByText('The device of this session is offline').waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('say delivered later');
    await page.getByRole('button', { name: 'Queue message' }).click();
    await page.getByText('Queued: it is sent when the device is online.').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('say next');
    expect(await page.getByRole('button', { name: 'Send message' }).isEnabled()).toBe(true);
    fixture.ada.pageErrors.length = 0;
    await fixture.machine.startServing();
    await page.getByRole('list').locator('.message').filter({ hasText: 'delivered later' }).first().waitFor();
  });

  it('shows that the connection was lost, and mends it', async () => {
    const { page } = fixture.ada;
    await page.route(/\/events\?/, (route) => route.abort());
    await page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await page.getByText('Connection lost. Trying again …').waitFor();
    await page.unroute(/\/events\?/);
    await page.getByText('Live', { exact: true }).waitFor();
    fixture.ada.pageErrors.length = 0;
  });

  it('sends a message once that the person has sent again after the browser was offline', async () => {
    const page = await open();
    await fixture.ada.context.setOffline(true);
    await send('say after the gap');
    await page.getByText('It is not known whether the message arrived.').waitFor();
    await fixture.ada.context.setOffline(false);
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    const messages = page.getByRole('list').locator('.message:not(.writing)').filter({ hasText: 'after the gap' });
    await messages.nth(1).waitFor();
    expect(await messages.count()).toBe(2);
    fixture.ada.pageErrors.length = 0;
  });

  it('keeps what is typed while a message is sent', async () => {
    const page = await open();
    const box = page.getByLabel('Message', { exact: true });
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/messages$/, async (route) => {
      await released;
      await route.continue();
    });
    await send('say first');
    await box.fill('typed meanwhile');
    release();
    await page.getByRole('list').locator('.message').filter({ hasText: 'first' }).first().waitFor();
    expect(await box.inputValue()).toBe('typed meanwhile');
    await page.unroute(/\/messages$/);
  });

  it('ends the session, which then accepts no messages', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'End session …' }).click();
    const question = await page.getByRole('group', { name: 'End session' }).boundingBox();
    const panel = await page.locator('.side-panel').boundingBox();
    expect(question!.x + question!.width).toBeLessThanOrEqual(panel!.x + panel!.width);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'End session …' }).click();
    await page.getByRole('button', { name: 'End session', exact: true }).click();
    await page.getByText('This session has ended. It accepts no messages.').waitFor();
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);
  });

  it('is 404 for a session of another account', async () => {
    const other = await fixture.browser.openProfile(fixture.service.url);
    await other.signUp('bea');
    const response = await other.page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    expect(response!.status()).toBe(404);
    await other.context.close();
  });
});

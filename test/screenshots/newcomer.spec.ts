import { TestBrowser, type BrowserUser } from '../browser/support/test-browser';
import { Quickstart } from '../support/quickstart';
import { takePictures } from './take-pictures';

const WIDTHS = [390, 1280];

/** The first ten minutes with the service, as a series of pictures: `newcomer-1-quickstart`, and so on. */
describe('a newcomer', () => {
  let quickstart: Quickstart;
  let browser: TestBrowser;
  let user: BrowserUser;
  let count = 0;

  beforeAll(async () => {
    quickstart = await Quickstart.start([]);
    browser = await TestBrowser.launchBrowser();
    await quickstart.up();
    user = await browser.openProfile(new URL(quickstart.browserLink).origin);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await Quickstart.killAll();
  });

  const film = async (name: string) => {
    count += 1;
    for (const width of WIDTHS) {
      await user.page.setViewportSize({ width, height: 800 });
      await takePictures(user.page, `newcomer-${count}-${name}`, width);
    }
  };
  const send = async (text: string) => {
    await user.page.getByLabel('Message', { exact: true }).fill(text);
    await user.page.getByRole('button', { name: 'Send message' }).click();
  };

  it('starts everything with one command, in a terminal', async () => {
    await user.page.setContent(
      '<body style="background: #111; color: #ddd"><pre style="white-space: pre-wrap; overflow-wrap: anywhere"></pre>',
    );
    await user.page.locator('pre').evaluate((terminal, text) => (terminal.textContent = text), quickstart.stdout);
    await film('quickstart');
  });

  it('opens the console by its link, signed in', async () => {
    await user.page.goto(quickstart.browserLink);
    await user.page.getByRole('heading', { name: 'Signed in as demo' }).waitFor();
    // The agent names its session a while after the first message has.
    await user.page.getByRole('link', { name: 'A first greeting' }).waitFor();
    await film('console');
  });

  it('watches an agent at work', async () => {
    const { page } = user;
    await page.goto('/console/sessions');
    await page.getByRole('link', { name: 'A first greeting' }).click();
    await page.getByRole('link', { name: 'Changes of turn 1: greeting.txt, +1 −0' }).waitFor();
    await send('edit greeting.txt Good morning');
    await page.getByRole('article', { name: 'Edit greeting.txt' }).getByRole('button', { name: 'Reject' }).waitFor();
    await page.getByText('The agent waits for an approval').waitFor();
    await film('watch-and-approve');
  });

  it('approves, and reads what has changed', async () => {
    const { page } = user;
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('I have changed greeting.txt.').last().waitFor();
    const details = page.getByRole('button', { name: 'Details' });
    if ((await details.getAttribute('aria-expanded')) === 'false') await details.click();
    await page.getByRole('link', { name: /^Changes of turn 2: greeting\.txt/ }).click();
    await page.locator('.diff-line.added').first().waitFor();
    await film('read-the-change');
  });

  it('adds a machine by one line', async () => {
    await user.page.goto('/console/machines');
    await user.page.locator('table.list tbody tr').first().waitFor();
    await user.page.getByRole('heading', { name: 'Add a machine' }).scrollIntoViewIfNeeded();
    await film('add-a-machine');
  });

  it('starts an agent', async () => {
    const { page } = user;
    await page.goto('/console/sessions/new');
    const form = page.getByRole('form', { name: 'Start a session' });
    await form.getByLabel('First message').fill('wait 1000\nedit notes.txt Ask before you write');
    await form.getByLabel('Name').fill('Write the notes');
    await film('start-an-agent');
    await form.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL('**/console/sessions/ses_*');
  });

  it('is notified on another page', async () => {
    await user.page.goto('/console/usage');
    await user.page.getByText('“Write the notes” needs your approval.').waitFor();
    await film('be-notified');
    expect(user.pageErrors).toEqual([]);
  });
});

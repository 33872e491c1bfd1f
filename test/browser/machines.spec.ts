import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTerminalSession } from '../support/terminal-session';
import { waitFor } from '../support/wait-for';
import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { expectAccessiblePage } from './support/visual-checks';

/** Writes to both streams, waits for the file `go`, writes again, and exits with 3. */
const SCRIPT = [
  `process.stdout.write('first \\x1b[38;2;200;30;90mred\\x1b[0m\\n10 %\\r99 %\\x1b]0;title\\x07\\n')`,
  `process.stderr.write('oops\\n')`,
  `setInterval(() => { if (require('fs').existsSync('go')) { console.log('last'); process.exit(3); } }, 20)`,
].join('; ');

describe('the pages of machines', () => {
  let fixture: ContentFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await ContentFixture.start();
    path = `/console/machines/${fixture.machine.machineService.identity.machineId}`;
  });
  afterAll(() => fixture?.stop());

  const openMachine = async () => {
    await fixture.ada.page.goto(path);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    await fixture.ada.page.getByRole('heading', { name: 'Run a command' }).waitFor();
  };
  const findCommand = () => fixture.ada.page.getByRole('form', { name: 'Run a command' });
  const runCommand = async (line: string) => {
    await findCommand().getByLabel('Command').fill(line);
    await findCommand().getByRole('button', { name: 'Run command' }).click();
  };
  const node = process.execPath;

  it('list machines with what they can do, and how to add one', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/machines');
    const row = page.getByRole('row').filter({ hasText: 'build box' });
    await row.waitFor();
    for (const text of ['online', 'start sessions, receive messages, ask for approval']) {
      expect(await row.textContent()).toContain(text);
    }
    const command = `xapi-device --url ${fixture.service.url} machine --account ada --agent`;
    expect(await page.getByRole('group', { name: 'Line that adds a machine' }).textContent()).toContain(command);
    await expectAccessiblePage(fixture.ada, 'machines');
    await row.getByRole('link', { name: 'build box', exact: true }).click();
    await page.waitForURL(`**${path}`);
    await page.getByText('Agents', { exact: true }).waitFor();
  });

  it('run a command, whose output appears while it runs', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await findCommand().getByLabel('Command').fill('echo "two words');
    await page.getByText('Close the quote ".').waitFor();
    expect(await findCommand().getByRole('button', { name: 'Run command' }).isDisabled()).toBe(true);
    await findCommand().getByLabel('Command').fill('echo "two words" *');
    const words = page.getByRole('group', { name: 'What runs' }).locator('code');
    expect(await words.allTextContents()).toEqual(['echo', 'two words', '*']);
    await page.getByText('No shell reads this').waitFor();
    await runCommand(`${node} -e "${SCRIPT}"`);
    const stdout = page.getByLabel('Standard output');
    await page.getByText('Running …').first().waitFor();
    const color = await stdout.getByText('red', { exact: true }).evaluate((part) => getComputedStyle(part).color);
    expect(color).toMatch(/^(?!rgb\(0, 0, 0\)).+/);
    expect(await stdout.textContent()).toBe('first red\n99 %\n');
    await page.getByRole('button', { name: 'Show all that was written' }).click();
    await stdout.getByText('10 %\\u{d}99 %\\u{1b}]0;title\\u{7}').waitFor();
    await page.getByRole('button', { name: 'Show all that was written' }).click();
    expect(await page.getByLabel('Standard error').textContent()).toBe('oops\n');
    await expectAccessiblePage(fixture.ada, 'machine-running');
    writeFileSync(join(fixture.folder, 'go'), '');
    await page.getByText(/^Exit code 3 · inv_/).waitFor();
    await stdout.getByText('last').waitFor();
    const recent = page.getByRole('table', { name: 'Recent commands' });
    await recent.getByText('Exit code 3').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel command' }).count()).toBe(0);
  });

  it('remember the lines that were run in this browser, until it shall forget them', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await runCommand(`${node} -e "console.log('kept')"`);
    await page.getByText(/^Exit code 0 · inv_/).waitFor();
    await page.getByText('Standard error: nothing.', { exact: true }).waitFor();
    await openMachine();
    const field = findCommand().getByLabel('Command');
    const recent = page.getByRole('table', { name: 'Recent commands' });
    await recent.getByText("console.log('kept')").waitFor();
    await field.fill('typed');
    await field.press('ArrowUp');
    expect(await field.inputValue()).toBe(`${node} -e "console.log('kept')"`);
    await field.press('ArrowUp');
    expect(await field.inputValue()).toContain(SCRIPT);
    await field.press('ArrowDown');
    await field.press('ArrowDown');
    expect(await field.inputValue()).toBe('typed');
    await page.getByRole('button', { name: 'Forget the lines' }).click();
    await recent.getByText("console.log('kept')").waitFor({ state: 'detached' });
    await field.press('ArrowUp');
    expect(await field.inputValue()).toBe('typed');
  });

  it('show the output of an earlier command, and bound long output', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await runCommand(`${node} -e "for (let i = 0; i < 200000; i++) console.log('line ' + i)"`);
    await page.getByText(/^Exit code 0 · inv_/).waitFor();
    const stdout = page.getByLabel('Standard output');
    await stdout.getByText('line 199999').waitFor();
    expect((await stdout.textContent())!.split('\n')).toHaveLength(25);
    await page.getByRole('button', { name: /^Show all [\d,]+ lines$/ }).click();
    const text = (await stdout.textContent())!;
    expect(text).toMatch(/^\[… earlier output is not shown …\]\nline \d+\n/);
    expect(text.length).toBeLessThan(110_000);
    await page
      .getByRole('button', { name: /^Show output/ })
      .last()
      .click();
    await page.getByText(/^Exit code 3 · inv_/).waitFor();
    await stdout.getByText('last').waitFor();
  });

  describe('of a machine whose program is older', () => {
    beforeEach(() =>
      fixture.ada.page.route('**/v1/control/machines/mch_*', async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { data: { capabilities: string[] } };
        body.data.capabilities = body.data.capabilities.filter((name) => name !== 'invocation');
        await route.fulfill({ response, json: body });
      }),
    );
    // The page reads a machine again by itself, also while the route is removed.
    afterEach(() => fixture.ada.page.unrouteAll({ behavior: 'wait' }));

    it('run short commands, and say how they ended', async () => {
      const { page } = fixture.ada;
      await openMachine();
      await page.getByText('This machine stops commands after 28 seconds.').waitFor();
      await runCommand(`${node} -e "console.log('out'); console.error('err'); process.exit(4)"`);
      await page.getByText('Exit code 4', { exact: true }).waitFor();
      expect(await page.getByLabel('Standard output').textContent()).toBe('out\n');
      expect(await page.getByLabel('Standard error').textContent()).toBe('err\n');
      expect(await page.getByText('left out parts of the output').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Cancel command' }).count()).toBe(0);
    });

    it('say that the machine left out parts of long output', async () => {
      await openMachine();
      await runCommand(`${node} -e "console.log('x'.repeat(600000))"`);
      await fixture.ada.page.getByText('The machine left out parts of the output, because it was too long.').waitFor();
    });
  });

  it('cancel a command', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await runCommand('sleep 3600');
    await page.getByRole('button', { name: 'Cancel command' }).click();
    await page.getByText(/^Cancelled · inv_/).waitFor();
  });

  it('show a command anew that was lost for a time', async () => {
    const { page } = fixture.ada;
    await page.route(/\/invocations\?/, async (route) => {
      const answer = await route.fetch();
      const { data, nextCursor } = await answer.json();
      const [newest, ...others] = data;
      const lost = { ...newest, state: 'lost', version: newest.version - 1 };
      await route.fulfill({ response: answer, json: { data: [lost, ...others], nextCursor } });
    });
    await openMachine();
    const show = page.getByRole('button', { name: 'Show output of sleep 3600' }).first();
    await show.click();
    await page.getByText(/^Unknown: the machine is away · inv_/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    const { machineId } = fixture.machine.machineService.identity;
    await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/invocations`, { command: 'true', args: [] });
    await page.getByRole('table').getByText('Unknown: the machine is away').waitFor({ state: 'detached' });
    await show.click();
    await page.getByText(/^Cancelled · inv_/).waitFor();
  });

  it('say why a command can’t start', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await runCommand('no-such-program-here');
    await page.getByText('The machine doesn’t have this command.').waitFor();
  });

  it('run a command once that is repeated because no response arrived', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await page.route('**/invocations', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await runCommand(`${node} -e "require('fs').appendFileSync('runs', 'x')"`);
    await page.getByText('Nobody knows whether the command was started').waitFor();
    await page.unroute('**/invocations');
    await findCommand().getByRole('button', { name: 'Run command' }).click();
    await page.getByText(/^Exit code 0 · inv_/).waitFor();
    expect(readFileSync(join(fixture.folder, 'runs'), 'utf8')).toBe('x');
  });

  it('start a session, and go to it', async () => {
    const { page } = fixture.ada;
    await openMachine();
    const form = page.getByRole('form', { name: 'Start a session' });
    await form.getByLabel('Folder').fill('/nowhere/at/all');
    await form.getByRole('button', { name: 'Start session' }).click();
    await page.getByText(/This folder doesn’t exist|doesn’t allow this folder/).waitFor();
    await form.getByLabel('Folder').fill('');
    await form.getByLabel('First message').fill('create from-console.txt');
    await form.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL('**/console/sessions/ses_*');
    await waitFor(() => expect(existsSync(join(fixture.folder, 'from-console.txt'))).toBe(true));
    await openMachine();
    await page.getByRole('table', { name: 'Sessions of this machine' }).getByText('Test agent').waitFor();
  });

  it('continue a copy of a session that was begun at the terminal', async () => {
    const { page } = fixture.ada;
    createTerminalSession(fixture.agentFolder, 'session-a', fixture.folder, ['say hello from the terminal']);
    await openMachine();
    const button = page.getByRole('button', { name: 'Show sessions' });
    await button.click();
    const row = page.getByRole('row').filter({ hasText: 'say hello from the terminal' });
    await row.getByRole('button', { name: 'Continue itself' }).waitFor();
    await page.getByText('a copy leaves it as it is').waitFor();
    await expectAccessiblePage(fixture.ada, 'machine-terminal-sessions');
    await row.getByRole('button', { name: 'Continue a copy' }).click();
    await page.waitForURL('**/console/sessions/ses_*');
    await openMachine();
    await button.click();
    // The session of the terminal is still there, and so is the copy that a session continues.
    await page
      .getByRole('table', { name: 'Sessions of the agents' })
      .getByRole('link', { name: 'Open' })
      .first()
      .waitFor();
    await row.getByRole('button', { name: 'Continue itself' }).first().waitFor();
  });

  it('fit a phone, disable what an offline machine can’t do, and follow its state', async () => {
    const { page } = fixture.ada;
    await page.setViewportSize({ width: 390, height: 844 });
    await openMachine();
    await fixture.machine.stop();
    await page.getByText('offline', { exact: true }).waitFor();
    for (const name of ['Start session', 'Run command']) {
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    }
    await page.getByText('The machine is offline.').first().waitFor();
    await expectAccessiblePage(fixture.ada, 'machine-offline-phone');
    await fixture.machine.startServing();
    await page.getByText('online', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Start session' }).isDisabled()).toBe(false);
    await page.goto('/console/machines');
    await page.getByRole('link', { name: 'build box', exact: true }).waitFor();
    await expectAccessiblePage(fixture.ada, 'machines-phone');
  });

  it('say that the login has ended', async () => {
    const { page } = fixture.ada;
    await openMachine();
    await page.setViewportSize({ width: 1280, height: 720 });
    await fixture.ada.context.clearCookies();
    await runCommand('true');
    await page.getByText('You are signed out.').first().waitFor();
  });
});

describe('the page of a machine, after too many calls', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start({ RATE_LIMIT_RELAY: '1' });
  });
  afterAll(() => fixture?.stop());

  it('says that nothing was sent, and how long to wait', async () => {
    const { page } = fixture.ada;
    await page.goto(`/console/machines/${fixture.machine.machineService.identity.machineId}`);
    const form = page.getByRole('form', { name: 'Run a command' });
    const notice = form.getByRole('alert').getByText(/too many calls.*nothing was sent\. Try again in [1-9]\d? s\.$/);
    await form.getByLabel('Command').fill('true');
    for (let calls = 0; calls < 3 && !(await notice.isVisible()); calls++) {
      await form.getByRole('button', { name: 'Run command' }).click();
      await form.getByRole('button', { name: 'Run command' }).and(page.locator(':enabled')).waitFor();
    }
    await notice.waitFor();
    await fixture.ada.takeScreenshot('machine-rate-limited');
  });
});

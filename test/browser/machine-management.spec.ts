import { ContentFixture } from './support/content-fixture';
import { expectAccessiblePage } from './support/visual-checks';

describe('the page of a machine', () => {
  let fixture: ContentFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await ContentFixture.start();
    path = `/console/machines/${fixture.machine.machineService.identity.machineId}`;
  });
  afterAll(() => fixture?.stop());
  afterEach(() => expect(fixture.ada.pageErrors.splice(0)).toEqual([]));

  const openMachine = async () => {
    await fixture.ada.page.goto(path);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
  };

  it('says who may use the machine', async () => {
    const { page } = fixture.ada;
    const { id } = await fixture.createToken('deploys', ['machines:invoke']);
    await openMachine();
    await expectAccessiblePage(fixture.ada, 'machine-users');
    const users = page.getByRole('region', { name: 'Who may use it' });
    expect(await users.getByRole('row', { name: /deploys/ }).textContent()).toContain(
      'run commands and start sessions',
    );
    await users.getByRole('link', { name: 'deploys' }).click();
    await page.waitForURL(`**/console/tokens/${id}`);
    await openMachine();
    await page.getByText('Revoke …').click();
    await page.getByText('This disconnects the machine within a second.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('renames the machine, which a restart of its program doesn’t change back', async () => {
    const { page } = fixture.ada;
    await openMachine();
    const change = page.getByRole('region', { name: 'Change' });
    await change.getByText('Rename …').click();
    await expectAccessiblePage(fixture.ada, 'machine-rename');
    await change.getByRole('textbox', { name: 'Name' }).fill('in\u200bvisible');
    await change.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('heading', { name: 'Rename build box' }).waitFor();
    expect(fixture.ada.pageErrors.splice(0)).toEqual([expect.stringContaining('status of 400')]);
    await page.getByLabel('Name').fill('Build server');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.waitForURL(`**${path}`);
    await page.getByRole('heading', { name: 'Build server', level: 1 }).waitFor();
    await fixture.machine.stop();
    await fixture.machine.startServing();
    await page.goto('/console/machines');
    await page.getByRole('link', { name: 'Build server', exact: true }).waitFor();
    await page.goto('/console/devices');
    await page.getByRole('row', { name: /^Build server/ }).waitFor();
  });
});

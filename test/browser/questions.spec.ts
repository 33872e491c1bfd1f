import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { expectAccessiblePage } from './support/visual-checks';

const FORM = {
  title: 'Release',
  description: 'All <b>fields</b>',
  properties: {
    version: { type: 'string', title: 'Version\u202e', pattern: '^(v+)+$', maxLength: 20 },
    notes: { type: 'string', description: 'https://example.com/' },
    channel: { type: 'string', enum: ['stable', 'beta'] },
    targets: { type: 'array', items: { anyOf: [{ const: 'deb', title: 'Debian' }] }, minItems: 1 },
    count: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
    sign: { type: 'boolean', title: 'Sign it' },
  },
  required: ['version', 'count', 'targets'],
};

describe('a question of an agent in the console', () => {
  let fixture: ContentFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await fixture.ada.page.goto('/console/approvals');
    await fixture.ada.page.getByRole('heading', { name: 'Nothing to decide' }).waitFor();
    const machineId = fixture.machine.machineService.identity.machineId;
    const { result } = await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, {});
    sessionId = result.sessionId;
  });
  afterAll(() => fixture?.stop());

  const send = (content: string) =>
    postFromPage(fixture.ada, `/v1/control/sessions/${sessionId}/messages`, { content, waitMs: 0 });
  const findCard = (title: string) =>
    fixture.ada.page.getByRole('article', { name: title, exact: true }).filter({ hasText: 'waiting for you' });

  it('is a form with the default values, whose answers reach the agent', async () => {
    const { page } = fixture.ada;
    await page.getByText('Live', { exact: true }).waitFor();
    await send('question');
    const card = findCard('Choose a database');
    await card.getByText('Which database shall I use?').waitFor();
    expect(await card.getByRole('radio', { name: 'PostgreSQL' }).isChecked()).toBe(true);
    expect(await card.getByRole('checkbox', { name: 'Write tests' }).isChecked()).toBe(true);
    await expectAccessiblePage(fixture.ada, 'question');
    await card.getByRole('radio', { name: 'SQLite' }).check();
    await card.getByRole('textbox', { name: 'Port' }).fill('80');
    await card.getByRole('button', { name: 'Answer' }).click();
    await card.getByText('This must be at least 1024.').waitFor();
    await expectAccessiblePage(fixture.ada, 'question-problem');
    await card.getByRole('textbox', { name: 'Port' }).fill('5432');
    await card.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('Answered.', { exact: true }).waitFor();
    await page.goto(`/console/sessions/${sessionId}`);
    await page.getByText('accept {"database":"sqlite","port":5432,"tests":true}').waitFor();
  });

  it('is declined on the page of its session', async () => {
    const { page } = fixture.ada;
    await send('question');
    const card = findCard('Choose a database');
    await card.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('decline', { exact: true }).waitFor();
  });

  it('takes a message with the answers, and with a refusal, encrypted like them', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/approvals');
    await page.getByText('Live', { exact: true }).waitFor();
    await send('question');
    let card = findCard('Choose a database');
    await card.getByLabel('Message to the agent (optional)').fill('say After the answers.');
    let sent = page.waitForRequest(/\/decision$/);
    await card.getByRole('button', { name: 'Answer' }).click();
    expect(Object.keys((await sent).postDataJSON()).sort()).toEqual(['contentHash', 'sealedAnswers', 'sealedMessage']);
    await page.getByText('Answered. The agent gets your message next.', { exact: true }).waitFor();
    await page.goto(`/console/sessions/${sessionId}`);
    await page.getByText('After the answers.', { exact: true }).waitFor();
    await send('question');
    card = findCard('Choose a database');
    await card.getByLabel('Message to the agent (optional)').fill('say Without answers.');
    sent = page.waitForRequest(/\/decision$/);
    await card.getByRole('button', { name: 'Decline' }).click();
    expect(Object.keys((await sent).postDataJSON()).sort()).toEqual(['contentHash', 'decision', 'sealedMessage']);
    await page.getByText('Without answers.', { exact: true }).waitFor();
  });

  it('shows all kinds of fields, texts of agents as text, and runs no pattern', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/approvals');
    await page.setViewportSize({ width: 390, height: 844 });
    await send(`question ${JSON.stringify(FORM)}`);
    const card = findCard('Release');
    await card.getByText('All <b>fields</b>').waitFor();
    expect(await card.locator('b, a[href^="https://example.com"]').count()).toBe(0);
    await expectAccessiblePage(fixture.ada, 'question-phone');
    await page.setViewportSize({ width: 1280, height: 720 });
    await card.getByRole('textbox', { name: 'Version\\u{202e}' }).fill('v!');
    await card.getByRole('button', { name: 'Answer' }).click();
    await card.getByText('This must have at least 1 choice.').waitFor();
    await card.getByRole('checkbox', { name: 'Debian' }).check();
    await card.getByRole('button', { name: 'Answer' }).click();
    await card.getByText('The answers don’t fit the form.').waitFor();
    await card.getByRole('textbox', { name: 'Version\\u{202e}' }).fill('vv');
    await card.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('Answered.', { exact: true }).waitFor();
  });

  it('is listed among the decided ones with who answered', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/approvals');
    const row = page.getByRole('row').filter({ hasText: 'Release' });
    await row.getByText(/^Answered by your device Chrome on Linux/).waitFor();
  });

  it('reports no error of the pages', () => {
    expect(fixture.ada.pageErrors.filter((error) => !/status of 400/.test(error))).toEqual([]);
  });
});

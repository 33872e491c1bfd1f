import type { Page } from 'playwright-core';
import type { ExampleAccount } from './example-account';

/** Page of the console to take pictures of. */
export interface ScreenshotPage {
  /** Name of the picture. */
  name: string;
  path: (account: ExampleAccount) => string;
  /** Brings the open page into the state of the picture. */
  prepare?: (page: Page) => Promise<void>;
  /** Shows the page to a visitor who isn't signed in. */
  isPublic?: boolean;
}

const openConfirmation = (label: string) => (page: Page) =>
  page.locator('summary').filter({ hasText: label }).first().click();

/** Waits until the browser has read and decrypted the records of a list. */
const waitForRecords = (page: Page) => page.locator('table.list tbody tr').first().waitFor();

/** Returns the path to which an app sends a browser. */
const buildAuthorizationPath = (clientId: string) =>
  `/external/v1/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:4400/callback',
    scope: 'sessions:read sessions:content artifacts:read',
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString()}`;

/** Every page of the console. Add new pages here. */
export const SCREENSHOT_PAGES: readonly ScreenshotPage[] = [
  { name: 'sign-in', path: () => '/console/sign-in', isPublic: true },
  { name: 'sign-up', path: () => '/console/sign-up', isPublic: true },
  { name: 'recover', path: () => '/console/recover', isPublic: true },
  {
    name: 'link',
    path: () => '/console/link',
    isPublic: true,
    prepare: async (page) => {
      // The page continues a request that the browser has made before.
      const code = page.getByLabel('Pairing code').filter({ visible: true });
      await page.getByRole('button', { name: 'Show code' }).or(code).waitFor();
      if (!(await code.isVisible())) await page.getByRole('button', { name: 'Show code' }).click();
      await code.waitFor();
    },
  },
  {
    name: 'home',
    path: () => '/console',
    prepare: (page) => page.getByRole('link', { name: 'Empty regions' }).waitFor(),
  },
  { name: 'account-menu', path: () => '/console', prepare: (page) => page.locator('.menu > summary').click() },
  { name: 'account', path: () => '/console/account' },
  { name: 'account-delete', path: () => '/console/account', prepare: openConfirmation('Delete account') },
  {
    name: 'search',
    path: () => '/console',
    prepare: async (page) => {
      await page.keyboard.press('ControlOrMeta+K');
      await page.getByRole('combobox', { name: 'Search the console' }).fill('release');
      await page.getByRole('option').first().waitFor();
    },
  },
  { name: 'sessions', path: () => '/console/sessions', prepare: waitForRecords },
  {
    name: 'new-session',
    path: () => '/console/sessions/new',
    prepare: (page) => page.getByRole('form', { name: 'Start a session' }).waitFor(),
  },
  {
    name: 'session',
    path: ({ sessionId }) => `/console/sessions/${sessionId}`,
    prepare: (page) => page.locator('.message').filter({ hasText: 'notes of the release' }).first().waitFor(),
  },
  {
    name: 'session-text',
    path: ({ sessionId }) => `/console/sessions/${sessionId}`,
    prepare: async (page) => {
      for (const title of ['Edit src/total.ts', 'npx vitest run']) await page.getByText(title).click();
      await page.getByText('What I changed').evaluate((heading) => heading.scrollIntoView());
    },
  },
  {
    name: 'session-changes',
    path: ({ sessionId }) => `/console/sessions/${sessionId}`,
    prepare: async (page) => {
      for (const title of ['Edit src/total.ts', 'npx vitest run']) await page.getByText(title).click();
      await page.getByText('Read src/total.ts').evaluate((heading) => heading.scrollIntoView());
    },
  },
  {
    name: 'session-details',
    path: ({ sessionId }) => `/console/sessions/${sessionId}`,
    prepare: async (page) => {
      const details = page.getByRole('button', { name: 'Details' });
      if ((await details.getAttribute('aria-expanded')) === 'false') await details.click();
      await page.getByRole('heading', { name: 'Who can read' }).waitFor();
      await page.getByRole('link', { name: /^Changes of turn \d/ }).waitFor();
    },
  },
  {
    name: 'session-running',
    path: ({ runningSessionId }) => `/console/sessions/${runningSessionId}`,
    // The device sends what goes on once more when somebody begins to read.
    prepare: async (page) => {
      await page.locator('.plan').waitFor();
      await page.locator('.message.tool.writing').waitFor();
    },
  },
  {
    name: 'session-rename',
    path: ({ runningSessionId }) => `/console/sessions/${runningSessionId}`,
    prepare: (page) => page.getByRole('button', { name: 'Rename' }).click(),
  },
  {
    name: 'approvals',
    path: () => '/console/approvals',
    prepare: (page) => page.locator('.approval').first().waitFor(),
  },
  { name: 'machines', path: () => '/console/machines', prepare: waitForRecords },
  {
    name: 'machine',
    path: ({ machineId }) => `/console/machines/${machineId}`,
    prepare: (page) => page.getByRole('heading', { name: 'Run a command' }).waitFor(),
  },
  {
    name: 'artifacts',
    path: () => '/console/artifacts',
    prepare: (page) =>
      page
        .getByRole('link', { name: /^Changes of turn 1/ })
        .first()
        .waitFor(),
  },
  {
    name: 'artifact',
    path: ({ artifactId }) => `/console/artifacts/${artifactId}`,
    prepare: (page) => page.getByText('RELEASE.md').first().waitFor(),
  },
  { name: 'tokens', path: () => '/console/tokens' },
  { name: 'token-new', path: () => '/console/tokens/new' },
  { name: 'token', path: ({ tokenId }) => `/console/tokens/${tokenId}` },
  {
    name: 'token-revoke',
    path: ({ tokenId }) => `/console/tokens/${tokenId}`,
    prepare: openConfirmation('Revoke'),
  },
  { name: 'apps', path: () => '/console/apps' },
  { name: 'app-new', path: () => '/console/apps/new' },
  { name: 'app', path: ({ clientId }) => `/console/apps/${clientId}` },
  { name: 'app-edit', path: ({ clientId }) => `/console/apps/${clientId}/edit` },
  { name: 'authorized-apps', path: () => '/console/authorized-apps' },
  { name: 'webhooks', path: () => '/console/webhooks' },
  { name: 'webhook-new', path: () => '/console/webhooks/new' },
  { name: 'webhook', path: ({ webhookId }) => `/console/webhooks/${webhookId}` },
  {
    name: 'webhook-rotate',
    path: ({ webhookId }) => `/console/webhooks/${webhookId}`,
    prepare: openConfirmation('Rotate secret'),
  },
  { name: 'deliveries', path: ({ webhookId }) => `/console/webhooks/${webhookId}/deliveries` },
  {
    name: 'delivery',
    path: ({ webhookId, deliveryId }) => `/console/webhooks/${webhookId}/deliveries/${deliveryId}`,
  },
  { name: 'devices', path: () => '/console/devices' },
  {
    name: 'recovery-key-new',
    path: () => '/console/devices/recovery-key',
    prepare: (page) => page.getByLabel('Last four characters of the key').waitFor(),
  },
  {
    name: 'consent',
    path: ({ clientId }) => buildAuthorizationPath(clientId),
    prepare: async (page) => {
      await page.getByText('Share sessions now').click();
      await page.getByRole('checkbox').first().check();
    },
  },
  { name: 'device-revoke', path: () => '/console/devices', prepare: openConfirmation('Revoke') },
  { name: 'activity', path: () => '/console/activity' },
  { name: 'security-log', path: () => '/console/security-log' },
  { name: 'usage', path: () => '/console/usage' },
  { name: 'not-found', path: () => '/console/nowhere' },
];

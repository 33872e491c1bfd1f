import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AccountDevice, ApiResponseError, DeviceRejectedError, FileKeyStore, signUp } from '@external-api/device';

const TOKEN_NAME = 'Quickstart token';
/** Recovery key that adds browsers to the account while the quickstart is running. */
const BROWSER_CODE_NAME = 'Quickstart code for browsers';
const TOKEN_DAYS = 1;
const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'machines:invoke',
  'artifacts:read',
  'artifacts:content',
];

export interface DemoAccount {
  device: AccountDevice;
  username: string;
  isNew: boolean;
}

/** Opens the account of an earlier run in this folder, or creates a new one. */
export async function openOrCreateDemoAccount(url: string, folder: string): Promise<DemoAccount> {
  const store = new FileKeyStore(join(folder, 'account.json'));
  const account = await openStoredAccount(url, store);
  if (!account) return createDemoAccount(url, store);
  await revokeBrowserCodes(account.device);
  return account;
}

/** Creates the token for the curl commands and revokes those of earlier runs. */
export async function createDemoToken(device: AccountDevice): Promise<{ id: string; token: string }> {
  const earlierTokens = (await device.listTokens()).filter(
    ({ name, state }) => name === TOKEN_NAME && state === 'active',
  );
  for (const { id } of earlierTokens) await device.revokeToken(id);
  const created = await device.createToken({ name: TOKEN_NAME, scopes: SCOPES, expiresInDays: TOKEN_DAYS });
  return { id: created.record.id, token: created.token };
}

/** Creates the code that adds browsers to the account: a recovery key, which the console's page for them accepts. */
export function createBrowserCode(device: AccountDevice): Promise<string> {
  return device.addRecoveryKey(BROWSER_CODE_NAME);
}

/** Revokes the code of this run, and of earlier ones that were killed. Browsers that have joined stay devices. */
export async function revokeBrowserCodes(device: AccountDevice): Promise<void> {
  for (const { id, name, state } of await device.listDevices())
    if (name === BROWSER_CODE_NAME && state !== 'revoked') await device.revokeDevice(id);
}

async function openStoredAccount(url: string, store: FileKeyStore): Promise<DemoAccount | null> {
  const stored = await store.loadState('account');
  if (!stored?.account) return null;
  try {
    const device = await AccountDevice.open({ url, store });
    return { device, username: (await device.getAccount()).username, isNew: false };
  } catch (error) {
    // The key file exists, but its database has been deleted.
    if (error instanceof DeviceRejectedError) return null;
    throw error;
  }
}

async function createDemoAccount(url: string, store: FileKeyStore): Promise<DemoAccount> {
  const names = ['demo', `demo-${randomBytes(3).toString('hex')}`] as const;
  await rm(store.location, { force: true });
  try {
    return await signUpDemoAccount(names[0], url, store);
  } catch (error) {
    if (!(error instanceof ApiResponseError && error.code === 'conflict')) throw error;
    return signUpDemoAccount(names[1], url, store);
  }
}

async function signUpDemoAccount(username: string, url: string, store: FileKeyStore): Promise<DemoAccount> {
  const device = await signUp({ url, store, username, name: 'Quickstart' });
  return { device, username, isNew: true };
}

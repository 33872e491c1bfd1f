import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AccountDevice, ApiError, DeviceRefusedError, KeyFile, signUp } from '../reference-device';

const TOKEN_NAME = 'quickstart';
const TOKEN_DAYS = 1;
const SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke'];

export interface DemoAccount {
  device: AccountDevice;
  username: string;
  isNew: boolean;
}

/** The account of an earlier run in this folder, else a new one. */
export async function demoAccount(url: string, folder: string): Promise<DemoAccount> {
  const store = new KeyFile(join(folder, 'account.json'));
  return (await reopen(url, store)) ?? (await create(url, store));
}

/** Makes the token to copy, and ends those of earlier runs. @returns `svc_pat_…` */
export async function demoToken(device: AccountDevice): Promise<string> {
  const earlier = (await device.tokens()).filter(({ name, state }) => name === TOKEN_NAME && state === 'active');
  for (const { id } of earlier) await device.revokeToken(id);
  const { token } = await device.createToken({ name: TOKEN_NAME, scopes: SCOPES, expiresInDays: TOKEN_DAYS });
  return token;
}

async function reopen(url: string, store: KeyFile): Promise<DemoAccount | null> {
  const kept = await store.load('account');
  if (!kept?.account) return null;
  try {
    const device = await AccountDevice.open({ url, store });
    return { device, username: (await device.account()).username, isNew: false };
  } catch (error) {
    // The keys outlived the database they belong to.
    if (error instanceof DeviceRefusedError) return null;
    throw error;
  }
}

async function create(url: string, store: KeyFile): Promise<DemoAccount> {
  const names = ['demo', `demo-${randomBytes(3).toString('hex')}`] as const;
  await rm(store.location, { force: true });
  try {
    return await signUpAs(names[0], url, store);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
    return signUpAs(names[1], url, store);
  }
}

async function signUpAs(username: string, url: string, store: KeyFile): Promise<DemoAccount> {
  const device = await signUp({ url, store, username, name: 'quickstart' });
  return { device, username, isNew: true };
}

import type { AccountDevice } from '@external-api/device';
import { createDemoToken, revokeBrowserCodes } from './demo-account';

const record = (id: string, name: string, state: string) => ({ id, name, state });

/** Device whose calls are recorded. */
function createFakeDevice(records: object[]) {
  const calls: [name: string, ...args: unknown[]][] = [];
  const call =
    (name: string, result?: unknown) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return Promise.resolve(result);
    };
  const device = {
    listTokens: () => Promise.resolve(records),
    listDevices: () => Promise.resolve(records),
    revokeToken: call('revokeToken'),
    revokeDevice: call('revokeDevice'),
    createToken: call('createToken', { record: { id: 'tok_new' }, token: 'svc_pat_new' }),
  };
  return { device: device as unknown as AccountDevice, calls };
}

it('revokes the tokens of earlier quickstarts and no others, and creates one for a day', async () => {
  const { device, calls } = createFakeDevice([
    record('tok_earlier', 'Quickstart token', 'active'),
    record('tok_expired', 'Quickstart token', 'expired'),
    record('tok_own', 'My token', 'active'),
  ]);
  expect(await createDemoToken(device)).toEqual({ id: 'tok_new', token: 'svc_pat_new' });
  expect(calls).toEqual([
    ['revokeToken', 'tok_earlier'],
    ['createToken', expect.objectContaining({ name: 'Quickstart token', expiresInDays: 1 })],
  ]);
});

it('revokes the codes for browsers of all quickstarts, and no other device', async () => {
  const { device, calls } = createFakeDevice([
    record('dev_earlier', 'Quickstart code for browsers', 'offline'),
    record('dev_revoked', 'Quickstart code for browsers', 'revoked'),
    record('dev_own', 'laptop', 'online'),
  ]);
  await revokeBrowserCodes(device);
  expect(calls).toEqual([['revokeDevice', 'dev_earlier']]);
});

import {
  AccountDevice,
  DeviceRefusedError,
  EnrollmentError,
  MachineDevice,
  MemoryKeyStore,
  recover,
  signUp,
  type KeyStore,
} from './index';
import { generateKey, publicPart } from './keys';
import { signEnrollment, verifyEnrollment } from './enrollment';
import { FakeService } from './testing/fake-service';
import { until } from './testing/served-machine';

let service: FakeService;
let ada: AccountDevice;
beforeEach(async () => {
  service = await new FakeService().start();
  ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
});
afterEach(() => service.stop());

async function pairedMachine(store: KeyStore = new MemoryKeyStore(), account = 'ada') {
  const machine = await MachineDevice.open({
    url: service.url,
    store,
    account,
    onEvent: (event) => {
      if (event.event === 'pairing') void ada.approveOwn(event.code, event.fingerprint);
    },
  });
  await machine.pair({ pollIntervalMs: 20 });
  return machine;
}

describe('pairing a machine', () => {
  it('pins an enrollment that its owner signed, without the content key', async () => {
    const store = new MemoryKeyStore();
    const machine = await pairedMachine(store);
    expect(machine.paired).toBe(true);
    const state = await store.load('machine');
    const enrollment = await verifyEnrollment(state?.enrollment ?? '', 'acc_1', state!.keys);
    expect(enrollment.contentPublicKey).toEqual(service.accounts.account?.contentPublicKey);
    expect(enrollment.sealedContentKey).toBeUndefined();
    expect(state?.pairing).toBeUndefined();
  });

  it('serves nobody else, and forgets the keys that another account adopted', async () => {
    const store = new MemoryKeyStore();
    await expect(pairedMachine(store, 'bob')).rejects.toThrow('adopted by "ada", not by "bob"');
    const state = await store.load('machine');
    expect(state?.account).toBeUndefined();
    expect(state?.keys.signing.x).not.toBe(service.accounts.devices[1]?.publicKey.x);
  });

  it('is taken up again after a restart', async () => {
    const store = new MemoryKeyStore();
    const open = () => MachineDevice.open({ url: service.url, store, account: 'ada' });
    const stopped = (await open()).pair({ pollIntervalMs: 20, signal: AbortSignal.timeout(100) });
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    const [pairing] = service.accounts.pairings;
    await ada.approve(pairing!.code, await ada.pairing(pairing!.code.toLowerCase().replace('-', ' ')));
    await (await open()).pair({ pollIntervalMs: 20 });
    expect(service.accounts.pairings).toHaveLength(1);
  });

  it.each(['denied', 'expired'] as const)('ends when it is %s, and the next start asks anew', async (state) => {
    const store = new MemoryKeyStore();
    const open = () => MachineDevice.open({ url: service.url, store, account: 'ada' });
    const pairing = (await open()).pair({ pollIntervalMs: 20 });
    pairing.catch(() => undefined);
    await until(() => service.accounts.pairings.length === 1);
    service.accounts.pairings[0]!.state = state;
    await expect(pairing).rejects.toThrow(DeviceRefusedError);
    const stop = new AbortController();
    const anew = (await open()).pair({ pollIntervalMs: 20, signal: stop.signal });
    anew.catch(() => undefined);
    await until(() => service.accounts.pairings.length === 2);
    stop.abort();
    await expect(anew).rejects.toThrow();
  });
});

describe('a service that exchanges keys', () => {
  const exchange = async (contentPublicKey = publicPart(generateKey('X25519')), signer = generateKey('Ed25519')) => {
    const device = service.accounts.devices.at(-1)!;
    const { publicKey, encryptionKey } = device;
    const payload = { accountId: 'acc_1', publicKey, encryptionKey, contentPublicKey, contentKeyVersion: 1 };
    device.enrollment = await signEnrollment(payload, signer);
  };

  it('is not served any more', async () => {
    const machine = await pairedMachine();
    await exchange();
    await expect(machine.serve()).rejects.toThrow('another content key');
    await exchange(service.accounts.account?.contentPublicKey);
    await expect(machine.serve()).rejects.toThrow('another approving device');
    service.accounts.devices.at(-1)!.enrollment = null;
    await expect(machine.serve()).rejects.toThrow(EnrollmentError);
    expect(service.requests).not.toContain('POST /v1/machines');
  });

  it('gets nothing signed in the name of another service', async () => {
    service.accounts.url = 'https://elsewhere.example';
    const device = { store: new MemoryKeyStore(), username: 'eve' };
    const url = `http://127.0.0.1:${new URL(ada.url).port}`;
    await expect(signUp({ ...device, url })).rejects.toThrow('does not call itself');
    expect(service.requests.filter((route) => route === 'POST /v1/accounts')).toHaveLength(1);
  });
});

describe('the recovery key', () => {
  it('makes another device that holds the content key', async () => {
    const recoveryKey = await ada.addRecoveryKey();
    const store = new MemoryKeyStore();
    const again = await recover({ url: service.url, store, recoveryKey });
    const state = await store.load('account');
    expect(publicPart(state!.contentKey!.key)).toEqual(service.accounts.account?.contentPublicKey);
    expect((await again.devices()).map(({ name }) => name)).toHaveLength(3);
    expect((await again.createToken({ name: 'ci', scopes: ['sessions:read'] })).token).toBe('svc_pat_secret');
    await expect(recover({ url: service.url, store, recoveryKey })).rejects.toThrow('already holds a device');
  });

  it('is refused when no account has it', async () => {
    const recoveryKey = '0'.repeat(52);
    const attempt = recover({ url: service.url, store: new MemoryKeyStore(), recoveryKey });
    await expect(attempt).rejects.toThrow('does not know this device');
  });
});

describe('tokens', () => {
  it('are kept, and renewed when the service no longer takes them', async () => {
    await ada.devices();
    expect(service.requests).not.toContain('POST /v1/auth/sign-in');
    service.accounts.tokens.clear();
    expect(await ada.devices()).toHaveLength(1);
  });

  it('end with a revoked device', async () => {
    service.accounts.devices[0]!.revoked = true;
    await expect(ada.devices()).rejects.toThrow('This device was revoked');
  });
});

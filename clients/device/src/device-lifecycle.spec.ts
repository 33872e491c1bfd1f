import {
  AccountDevice,
  DeviceRejectedError,
  EnrollmentError,
  MachineDevice,
  MemoryKeyStore,
  recoverAccount,
  signUp,
  type KeyStore,
  type MachineEvent,
} from './index';
import { generateKey, toPublicKey } from './keys';
import { signEnrollment, verifyEnrollment } from './enrollment';
import { FakeServiceError } from './testing/fake-accounts';
import { FakeService } from './testing/fake-service';
import { waitUntil } from './testing/served-machine';

let service: FakeService;
let ada: AccountDevice;
beforeEach(async () => {
  service = await new FakeService().start();
  ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
});
afterEach(() => service.stop());

async function pairMachine(store: KeyStore = new MemoryKeyStore(), account = 'ada') {
  const machine = await MachineDevice.open({
    url: service.url,
    store,
    account,
    onEvent: (event) => {
      if (event.event === 'pairing') void ada.approveByFingerprint(event.code, event.fingerprint);
    },
  });
  await machine.pairWithAccount({ pollIntervalMs: 20 });
  return machine;
}

describe('pairing a machine', () => {
  it('pins an enrollment that its owner signed, without the content key', async () => {
    const store = new MemoryKeyStore();
    const machine = await pairMachine(store);
    expect(machine.isPaired).toBe(true);
    const state = await store.loadState('machine');
    const enrollment = await verifyEnrollment(state?.enrollment ?? '', 'acc_1', state!.keys);
    expect(enrollment.contentPublicKey).toEqual(service.accounts.account?.contentPublicKey);
    expect(enrollment.sealedContentKey).toBeUndefined();
    expect(state?.pairing).toBeUndefined();
  });

  it('serves nobody else, and forgets the keys that another account adopted', async () => {
    const store = new MemoryKeyStore();
    await expect(pairMachine(store, 'bob')).rejects.toThrow('paired with "ada", not with "bob"');
    const state = await store.loadState('machine');
    expect(state?.account).toBeUndefined();
    expect(state?.keys.signing.x).not.toBe(service.accounts.devices[1]?.publicKey.x);
  });

  const waitForPoll = () => waitUntil(() => service.requestLines.some((line) => line.startsWith('GET /v1/pairings/')));

  it('is taken up again after a restart', async () => {
    const store = new MemoryKeyStore();
    const stop = new AbortController();
    const open = () => MachineDevice.open({ url: service.url, store, account: 'ada' });
    const stopped = (await open()).pairWithAccount({ pollIntervalMs: 20, signal: stop.signal });
    stopped.catch(() => undefined);
    await waitForPoll();
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    const [pairing] = service.accounts.pairings;
    await ada.approvePairing(pairing!.code, await ada.getPairingRequest(pairing!.code.toLowerCase().replace('-', ' ')));
    await (await open()).pairWithAccount({ pollIntervalMs: 20 });
    expect(service.accounts.pairings).toHaveLength(1);
  });

  it('is interrupted at once while the service does not say whether it is approved', async () => {
    service.delayRequest = (route) => (route.startsWith('GET') ? new Promise(() => undefined) : undefined);
    const stop = new AbortController();
    const machine = await MachineDevice.open({ url: service.url, store: new MemoryKeyStore(), account: 'ada' });
    const paired = machine.pairWithAccount({ pollIntervalMs: 20, signal: stop.signal });
    paired.catch(() => undefined);
    await waitForPoll();
    const stoppedAt = performance.now();
    stop.abort();
    await expect(paired).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  });

  it('is not approved if the service returns other keys than those of the fingerprint', async () => {
    const stop = new AbortController();
    const machine = await MachineDevice.open({ url: service.url, store: new MemoryKeyStore(), account: 'ada' });
    const paired = machine.pairWithAccount({ pollIntervalMs: 20, signal: stop.signal });
    paired.catch(() => undefined);
    await waitUntil(() => service.accounts.pairings.length === 1);
    const { code } = service.accounts.pairings[0]!;
    await expect(ada.approveByFingerprint(code, ada.fingerprint)).rejects.toThrow(EnrollmentError);
    stop.abort();
    await expect(paired).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('waits for the service while it waits for its approval, and says so', async () => {
    let isAway = false;
    service.getRequestError = (route) =>
      isAway && route.startsWith('GET /v1/pairings/') ? new FakeServiceError(503, 'service_unavailable') : undefined;
    const events: MachineEvent[] = [];
    const machine = await MachineDevice.open({
      url: service.url,
      store: new MemoryKeyStore(),
      account: 'ada',
      backoff: { baseMs: 20, maxMs: 40 },
      onEvent: (event) => events.push(event),
    });
    const paired = machine.pairWithAccount({ pollIntervalMs: 20 });
    await waitUntil(() => events.length === 1);
    isAway = true;
    await waitUntil(() => events.filter(({ event }) => event === 'waiting').length > 2);
    expect(events[1]).toMatchObject({ reason: expect.stringContaining('service_unavailable') });
    isAway = false;
    const { code } = service.accounts.pairings[0]!;
    await ada.approvePairing(code, await ada.getPairingRequest(code));
    await paired;
    expect(machine.isPaired).toBe(true);
  });

  it('ends when the service no longer knows it', async () => {
    const machine = await MachineDevice.open({ url: service.url, store: new MemoryKeyStore(), account: 'ada' });
    const pairing = machine.pairWithAccount({ pollIntervalMs: 20 });
    pairing.catch(() => undefined);
    await waitUntil(() => service.accounts.pairings.length === 1);
    service.accounts.pairings.length = 0;
    await expect(pairing).rejects.toThrow(new DeviceRejectedError('The pairing code has expired.'));
  });

  it.each(['denied', 'expired'] as const)('ends when it is %s, and the next start asks anew', async (state) => {
    const store = new MemoryKeyStore();
    const open = () => MachineDevice.open({ url: service.url, store, account: 'ada' });
    const pairing = (await open()).pairWithAccount({ pollIntervalMs: 20 });
    pairing.catch(() => undefined);
    await waitUntil(() => service.accounts.pairings.length === 1);
    service.accounts.pairings[0]!.state = state;
    await expect(pairing).rejects.toThrow(DeviceRejectedError);
    const stop = new AbortController();
    const anew = (await open()).pairWithAccount({ pollIntervalMs: 20, signal: stop.signal });
    anew.catch(() => undefined);
    await waitUntil(() => service.accounts.pairings.length === 2);
    stop.abort();
    await expect(anew).rejects.toThrow();
  });
});

describe('a machine that is given another address', () => {
  it('knows whether the same service is there', async () => {
    const store = new MemoryKeyStore();
    await pairMachine(store);
    const other = await new FakeService().start();
    const moved = await MachineDevice.open({ url: other.url, store });
    await expect(moved.confirmAddress()).rejects.toThrow(`linked to ${service.url}, and ${other.url} doesn't know it`);
    expect(moved.serviceUrl).toBe(service.url);
    other.accounts.account = service.accounts.account;
    other.accounts.devices.push(...service.accounts.devices);
    await moved.confirmAddress();
    expect(moved.serviceUrl).toBe(other.url);
    expect((await store.loadState('machine'))?.url).toBe(other.url);
    await other.stop();
  });
});

describe('a service that exchanges keys', () => {
  const exchange = async (contentPublicKey = toPublicKey(generateKey('X25519')), signer = generateKey('Ed25519')) => {
    const fakeDevice = service.accounts.devices.at(-1)!;
    const { publicKey, encryptionKey } = fakeDevice;
    const payload = { accountId: 'acc_1', publicKey, encryptionKey, contentPublicKey, contentKeyVersion: 1 };
    fakeDevice.enrollment = await signEnrollment(payload, signer);
  };

  it('is not served any more', async () => {
    const machine = await pairMachine();
    await exchange();
    await expect(machine.startServing()).rejects.toThrow('different content key');
    await exchange(service.accounts.account?.contentPublicKey);
    await expect(machine.startServing()).rejects.toThrow('different approving device');
    service.accounts.devices.at(-1)!.enrollment = null;
    await expect(machine.startServing()).rejects.toThrow(EnrollmentError);
    expect(service.requestLines).not.toContain('POST /v1/machines');
  });

  it('gets nothing signed in the name of another service', async () => {
    service.accounts.url = 'https://elsewhere.example';
    const device = { store: new MemoryKeyStore(), username: 'eve' };
    const url = `http://127.0.0.1:${new URL(ada.url).port}`;
    await expect(signUp({ ...device, url })).rejects.toThrow("service's public URL is not");
    expect(service.requestLines.filter((route) => route === 'POST /v1/accounts')).toHaveLength(1);
  });
});

describe('the recovery key', () => {
  it('makes another device that holds the content key', async () => {
    const recoveryKey = await ada.addRecoveryKey();
    const store = new MemoryKeyStore();
    const again = await recoverAccount({ url: service.url, store, recoveryKey });
    const state = await store.loadState('account');
    expect(toPublicKey(state!.contentKey!.key)).toEqual(service.accounts.account?.contentPublicKey);
    expect((await again.listDevices()).map(({ name }) => name)).toHaveLength(3);
    expect((await again.createToken({ name: 'ci', scopes: ['sessions:read'] })).token).toBe('svc_pat_secret');
    await expect(recoverAccount({ url: service.url, store, recoveryKey })).rejects.toThrow('already holds a device');
  });

  it('is refused when no account has it', async () => {
    const recoveryKey = '0'.repeat(52);
    const attempt = recoverAccount({ url: service.url, store: new MemoryKeyStore(), recoveryKey });
    await expect(attempt).rejects.toThrow('does not know this device');
  });
});

describe('tokens', () => {
  it('are kept, and renewed when the service no longer takes them', async () => {
    await ada.listDevices();
    expect(service.requestLines).not.toContain('POST /v1/auth/sign-in');
    service.accounts.tokens.clear();
    expect(await ada.listDevices()).toHaveLength(1);
  });

  it('end with a revoked device', async () => {
    service.accounts.devices[0]!.revoked = true;
    await expect(ada.listDevices()).rejects.toThrow('This device was revoked');
  });

  it('are waited for while instances of the service call the challenges of others expired', async () => {
    const machine = await pairMachine();
    let signIns = 0;
    service.getRequestError = (route) =>
      route === 'POST /v1/auth/sign-in' && ++signIns < 3
        ? new FakeServiceError(401, 'invalid_token', { reason: 'expired' })
        : undefined;
    const runner = await machine.startServing();
    expect(signIns).toBe(3);
    await runner.stop();
  });
});

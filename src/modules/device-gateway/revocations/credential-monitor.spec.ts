import { Logger } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import type { DeviceTokenService } from '../../devices';
import type { RelayBus } from '../../relay-bus';
import { CredentialMonitor } from './credential-monitor';
import type { SharedRevocationsService } from './shared-revocations.service';

const NONE = { deviceIds: [], suspendedAccountIds: [], signedOutAccountIds: [] };
const DAY_MS = 86_400_000;

describe('the monitor of device credentials', () => {
  let revocations: Record<keyof typeof NONE, string[]>;
  let activeHashes: Set<string>;
  let windows: number[];
  let isDatabaseAway: boolean;
  let monitor: CredentialMonitor;
  let connections: ReturnType<typeof connect>[];

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    jest.useFakeTimers();
    [revocations, activeHashes, windows, isDatabaseAway] = [NONE, new Set(), [], false];
    connections = [connect('dev_1', 'acc_1'), connect('dev_2', 'acc_2')];
    const shared = {
      findRevocations: (windowMs: number) => {
        windows.push(windowMs);
        return isDatabaseAway ? Promise.reject(new Error('away')) : Promise.resolve(revocations);
      },
    } as unknown as SharedRevocationsService;
    const tokens = { findActiveHashes: () => Promise.resolve(activeHashes) } as unknown as DeviceTokenService;
    const bus = { listConnections: () => connections } as unknown as RelayBus;
    monitor = new CredentialMonitor(shared, tokens, bus, new Clock());
    monitor.onApplicationBootstrap();
  });
  afterEach(() => {
    monitor.onApplicationShutdown();
    jest.useRealTimers();
  });

  function connect(deviceId: string, accountId: string) {
    const tokenHash = Buffer.from(deviceId);
    const tokenExpiresAt = Date.now() + DAY_MS;
    return { device: { deviceId, accountId, tokenHash, tokenExpiresAt }, closeSocket: jest.fn() };
  }
  const listClosed = () =>
    connections.filter(({ closeSocket }) => closeSocket.mock.calls.length > 0).map(({ device }) => device.deviceId);

  it.each([
    ['a revoked device', { ...NONE, deviceIds: ['dev_1'] }],
    ['a suspended account', { ...NONE, suspendedAccountIds: ['acc_1'] }],
    ['a token that a sign-out has ended', { ...NONE, signedOutAccountIds: ['acc_1'] }],
  ])('closes the sockets of %s within a second, and no others', async (_, found) => {
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(listClosed()).toEqual([]);
    revocations = found;
    // The rest of the second is for a snapshot of 300 ms, and for the wait for Redis.
    await jest.advanceTimersByTimeAsync(500);
    expect(listClosed()).toEqual(['dev_1']);
  });

  it('keeps the socket of a token that was issued after the sign-out', async () => {
    revocations = { ...NONE, signedOutAccountIds: ['acc_1'] };
    activeHashes = new Set([Buffer.from('dev_1').toString('hex')]);
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(listClosed()).toEqual([]);
  });

  it('closes the socket of a token that expires, and not before', async () => {
    connections[1]!.device.tokenExpiresAt = Date.now() + 10 * SECOND;
    await jest.advanceTimersByTimeAsync(9_900);
    expect(listClosed()).toEqual([]);
    await jest.advanceTimersByTimeAsync(600);
    expect(listClosed()).toEqual(['dev_2']);
  });

  it('looks back to its last check that succeeded, and ten seconds further', async () => {
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(windows.at(-1)).toBeGreaterThanOrEqual(10_500);
    isDatabaseAway = true;
    await jest.advanceTimersByTimeAsync(60 * SECOND);
    isDatabaseAway = false;
    await jest.advanceTimersByTimeAsync(500);
    expect(windows.at(-1)).toBeGreaterThanOrEqual(70_000);
    await jest.advanceTimersByTimeAsync(500);
    expect(windows.at(-1)).toBeLessThan(12_000);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import type { BenchFixture } from '../support/bench-fixture';
import type { MeasuredParts } from '../support/call-cpu';
import { startDedicatedFixture } from '../support/dedicated-fixture';
import { DevicePool } from '../support/device-pool';
import { insertFleet, type FleetMachine } from '../support/fleet';
import { computeCpuUs, readThreadTimes } from '../support/process-cpu';
import { warmUpMeasurements } from '../support/read-measurement';

const DEVICES = 500;
const FEW = 5;
/** One of so many devices is an account device, which is notified of each machine that goes online or offline. */
const DEVICES_PER_WATCHER = 5;
/** Presence is written after the connection. */
const SETTLE_MS = 1_000;
const WARM_UPS = 3;

/** Devices of a kind of accounts. All of them leave and connect again in a measurement. */
interface ReconnectingDevices {
  machines: string[];
  watchers: string[];
  devicePool: DevicePool;
}

export const connectDeviceRow: BenchmarkRow = {
  name: 'connect-device',
  figure: `CPU per device that leaves and connects again, ${DEVICES} of one account`,
  against: `with ${FEW} of each of ${DEVICES / FEW} accounts`,
  unit: 'µs',
  ratioGoal: { atMost: 1.2 },
  maxRounds: 5,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      // Servers of their own, whose CPU time contains no other work.
      const { benchFixture, measuredParts } = await startDedicatedFixture(benchCleanup);
      const createMeasurement = async (accounts: number, devicesEach: number) => {
        const tokens = await insertDevices(benchFixture, accounts, devicesEach);
        const devices = { ...tokens, devicePool: benchCleanup.add(new DevicePool()) };
        await connectAll(benchFixture, devices);
        return () => measureReconnection(benchFixture, measuredParts, devices);
      };
      const measured = await createMeasurement(1, DEVICES);
      const peer = await createMeasurement(DEVICES / FEW, FEW);
      await warmUpMeasurements(WARM_UPS, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** @returns CPU time of the service, PostgreSQL and Redis per device, in µs */
async function measureReconnection(
  benchFixture: BenchFixture,
  measuredParts: MeasuredParts,
  devices: ReconnectingDevices,
): Promise<number> {
  const readTimes = () => readThreadTimes(Object.values(measuredParts).flatMap((listPids) => listPids()));
  await sleep(SETTLE_MS);
  const before = readTimes();
  await devices.devicePool.disconnectAll();
  await connectAll(benchFixture, devices);
  await sleep(SETTLE_MS);
  return computeCpuUs(before, readTimes()) / DEVICES;
}

/** Connects account devices first, which then also leave last, so that they are notified of all machines. */
async function connectAll({ firstInstance }: BenchFixture, { devicePool, watchers, machines }: ReconnectingDevices) {
  await devicePool.connectDevices(firstInstance.url, watchers, []);
  await devicePool.connectDevices(firstInstance.url, machines);
}

/** Inserts accounts and makes some of their machines account devices. Returns the tokens of both kinds. */
async function insertDevices(benchFixture: BenchFixture, accounts: number, devicesEach: number) {
  const fleet = await insertFleet(benchFixture, accounts, devicesEach);
  const isWatcher = (n: number) => n % DEVICES_PER_WATCHER === DEVICES_PER_WATCHER - 1;
  const select = (watching: boolean): FleetMachine[] =>
    fleet.flatMap(({ machines }) => machines.filter((_, n) => isWatcher(n) === watching));
  const watchers = select(true);
  await benchFixture.query(`DELETE FROM machines WHERE id = ANY($1)`, [watchers.map(({ machineId }) => machineId)]);
  const watcherIds = watchers.map(({ deviceId }) => deviceId);
  await benchFixture.query(`UPDATE devices SET kind = 'account' WHERE id = ANY($1)`, [watcherIds]);
  return { machines: select(false).map(({ token }) => token), watchers: watchers.map(({ token }) => token) };
}

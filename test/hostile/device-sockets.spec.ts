import { setTimeout as sleep } from 'node:timers/promises';
import { generateId } from '../../src/common/ids';
import { DeviceSocket } from '../support/device/device-socket';
import { ForeignAccountDevice } from '../support/device/foreign-device';
import { RawSocket } from '../support/device/raw-socket';
import { computeSlowdown } from './support/bystander';
import { measurePeakResidentBytes, readResidentBytes } from './support/resident-memory';
import { AttackTarget } from './support/attack-target';

const MIB = 1_048_576;
const ATTACK_MS = 4_000;
/** Limits the attacker's CPU usage, so that a slow response is caused by the service and not by a busy machine. */
const PAUSE_MS = 250;
const SOCKETS = 60;
const DEVICES = 8;
/** Tolerance for memory that the runtime releases later. A successful attack uses 36 MiB per socket. */
const MAX_GROWTH = 400 * MIB;

describe('a flood over device sockets', () => {
  let attackTarget: AttackTarget;
  beforeAll(async () => {
    attackTarget = await AttackTarget.start();
  });
  afterAll(() => attackTarget?.stop());

  /** Repeats all attacks for a while. Compares the bystander's latency and the memory with calm. */
  async function expectHarmless(attacks: (() => Promise<void>)[]): Promise<void> {
    const calm = await attackTarget.bystander.measureBaseline();
    const before = readResidentBytes(attackTarget.pid);
    const endAt = performance.now() + ATTACK_MS;
    const repeat = async (attack: () => Promise<void>) => {
      while (performance.now() < endAt) {
        await attack().catch(() => undefined);
        await sleep(PAUSE_MS);
      }
    };
    let peak = 0;
    const attacked = await attackTarget.bystander.measureDuring(async () => {
      peak = await measurePeakResidentBytes(attackTarget.pid, () => Promise.all(attacks.map(repeat)));
    });
    expect(attacked.failures).toBe(0);
    expect(computeSlowdown(calm, attacked)).toBeLessThan(10);
    expect(peak - before).toBeLessThan(MAX_GROWTH);
  }

  /** Each attack sends until the service closes its socket. */
  const floodUnjoined = (...packets: (string | Buffer)[]) =>
    Array.from({ length: SOCKETS }, () => async () => {
      const socket = await RawSocket.openSocket(attackTarget.http.url);
      for (const packet of packets) socket.sendPacket(packet);
      await Promise.race([socket.closed, sleep(ATTACK_MS)]);
      socket.close();
    });

  async function floodJoined(
    packet: string,
    times: number,
    capabilities: string[] = [],
  ): Promise<(() => Promise<void>)[]> {
    const owner = await ForeignAccountDevice.signUp(attackTarget.http);
    const devices = await Promise.all(Array.from({ length: DEVICES }, () => owner.pairDevice('machine')));
    return devices.map(({ token }) => async () => {
      const socket = await DeviceSocket.connect(attackTarget.http.url, token, capabilities);
      for (let n = 0; n < times; n++) socket.socket.io.engine.write(packet);
      await Promise.race([socket.disconnected, sleep(ATTACK_MS)]);
      socket.close();
    });
  }

  it('of binary attachments without a credential', async () => {
    const placeholders = Array.from({ length: 10 }, (_, num) => `{"_placeholder":true,"num":${num}}`);
    const attachment = Buffer.alloc(4 * MIB - 10);
    await expectHarmless(floodUnjoined(`510-["x",${placeholders.join()}]`, ...Array<Buffer>(9).fill(attachment)));
  });

  it('of CONNECTs to other namespaces', async () => {
    const connect = `0/zzz,{"x":[${'"y",'.repeat(600_000)}1]}`;
    await expectHarmless(floodUnjoined(...Array<string>(8).fill(connect)));
  });

  it('of events of signed-in devices', async () => {
    await expectHarmless(await floodJoined(`2["x",[${'"y",'.repeat(600_000)}1]]`, 8));
  });

  it('of live output that nobody watches', async () => {
    const data = Buffer.alloc(65_536).toString('base64');
    const output = { invocationId: generateId('inv'), stream: 'stdout', offset: 0, data };
    await expectHarmless(await floodJoined(`2${JSON.stringify(['output', output])}`, 200, ['invocation']));
  });

  it('of unrequested answers of signed-in devices', async () => {
    await expectHarmless(await floodJoined(`3999[[${'"y",'.repeat(600_000)}1]]`, 8));
  });
});

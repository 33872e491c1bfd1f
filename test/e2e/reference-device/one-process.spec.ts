import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import { DeviceProgram } from '../../support/device-program';
import type { MachineProcess } from '../../support/machine-process';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;

describe('a key file', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;
  const folder = createTempFolder();
  const keyFile = join(folder, 'machine.json');

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    machine = await fixture.startMachineWith({ keyFile });
  });
  afterAll(() => fixture?.stop());

  const startAnother = (file = keyFile) =>
    DeviceProgram.start(['machine', '--account', fixture.ada.username, '--url', fixture.service.url], file);
  const readLock = () => JSON.parse(readFileSync(`${keyFile}.lock`, 'utf8')) as { pid: number; host: string };
  const expectServed = async () => {
    const answer = await fixture.post(`/machines/${machine.id}/invoke`, { command: 'echo', args: ['served'] });
    expect(expectStatus(answer, 200).result.stdout).toBe('served\n');
  };

  it('is used by one machine: a second one names the first and exits with 2', async () => {
    const { pid, host } = readLock();
    const second = await startAnother().ended;
    expect(second).toMatchObject({ status: 2, out: '' });
    expect(second.err).toContain(`error: The key file ${keyFile} is in use by process ${pid} on ${host}.`);
    await expectServed();
  });

  it('is free again at once after a kill, and of two starts at the same moment one gets it', async () => {
    const { pid } = readLock();
    await machine.stop('SIGKILL');
    const starts = [startAnother(), startAnother()];
    const loser = await Promise.race(starts.map(async (each) => ({ each, ...(await each.ended) })));
    expect(loser.status).toBe(2);
    const winner = starts.find((each) => each !== loser.each)!;
    await waitFor(() => expect(winner.out).toContain('Serving'), WITHIN_MS);
    expect(readLock().pid).toBe(winner.pid);
    expect(winner.pid).not.toBe(pid);
    await expectServed();
    winner.signal('SIGTERM');
    expect(await winner.ended).toMatchObject({ status: 0 });
    machine = await fixture.startMachineWith({ keyFile });
  });

  it('that was copied stops the older machine with 3 instead of a fight without an end', async () => {
    const copy = join(createTempFolder(), 'copy.json');
    copyFileSync(keyFile, copy);
    const newer = startAnother(copy);
    expect(await machine.exited).toBe(3);
    expect(await machine.errorOutput).toContain('Another process is connected with the keys of this device');
    await waitFor(expectServed, WITHIN_MS);
    newer.signal('SIGTERM');
    expect(await newer.ended).toMatchObject({ status: 0 });
    rmSync(copy);
  });

  it('that was copied stops it with 0 under launchd, which would start it again otherwise', async () => {
    machine = await fixture.startMachineWith({ keyFile, env: { XAPI_DEVICE_LAUNCHD: '1' } });
    const copy = join(createTempFolder(), 'copy.json');
    copyFileSync(keyFile, copy);
    const newer = startAnother(copy);
    expect(await machine.exited).toBe(0);
    expect(await machine.errorOutput).toContain('Another process is connected with the keys of this device');
    newer.signal('SIGTERM');
    await newer.ended;
  });

  it('is free at once when a second signal ends a machine whose command does not end', async () => {
    machine = await fixture.startMachineWith({ keyFile });
    const begun = join(folder, 'begun');
    const script = `trap '' TERM; touch '${begun}'; while :; do sleep 0.1; done`;
    const call = fixture.post(`/machines/${machine.id}/invoke`, { command: 'sh', args: ['-c', script] });
    await waitFor(() => expect(existsSync(begun)).toBe(true), WITHIN_MS);
    const { pid } = readLock();
    for (const signal of ['SIGINT', 'SIGTERM']) process.kill(pid, signal);
    expect(await machine.exited).toBe(1);
    expect(existsSync(`${keyFile}.lock`)).toBe(false);
    await call;
  });
});

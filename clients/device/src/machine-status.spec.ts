import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineStatusFile, readMachineStatus } from './machine-status';

const folder = mkdtempSync(join(tmpdir(), 'machine-status-'));
const path = join(folder, 'machine.json.status');
afterAll(() => rmSync(folder, { recursive: true }));

const read = () => readMachineStatus(path, process.pid);

it('tells what a machine waits for, and for how long the service has not answered', async () => {
  const file = new MachineStatusFile(path);
  file.applyEvent({ event: 'connected' });
  file.readProgress = () => ({ outage: { since: 1_000, reason: 'A portal.' }, waitingReports: 2, waitingArtifacts: 1 });
  await file.close();
  const progress = { outage: { since: 1_000, reason: 'A portal.' }, waitingReports: 2, waitingArtifacts: 1 };
  expect(await read()).toMatchObject({ state: 'connected', reason: null, ...progress });
  expect(await readMachineStatus(path, process.pid + 1)).toBeUndefined();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('goes on waiting for the approval while the service does not answer', async () => {
  const file = new MachineStatusFile(path);
  file.applyEvent({ event: 'pairing', code: 'ABCD', fingerprint: '', expiresAt: 0, approvalUrl: '' });
  file.applyEvent({ event: 'waiting', reason: 'A portal.', ms: 1 });
  await file.close();
  expect(await read()).toMatchObject({ state: 'pairing', reason: 'It waits for the approval.' });
});

it('tells since when it waits, however often it tries', async () => {
  const now = jest.spyOn(Date, 'now');
  const file = new MachineStatusFile(path);
  now.mockReturnValue(2_000);
  file.applyEvent({ event: 'waiting', reason: 'Refused.', ms: 1 });
  now.mockReturnValue(3_000);
  file.applyEvent({ event: 'waiting', reason: 'A portal.', ms: 1 });
  now.mockRestore();
  await file.close();
  expect(await read()).toMatchObject({ state: 'waiting', since: 2_000, reason: 'A portal.' });
});

it('waits for the service when it starts and when its connection is lost', async () => {
  const file = new MachineStatusFile(path);
  file.applyEvent({ event: 'waiting', reason: 'A portal.', ms: 1 });
  await file.close();
  expect(await read()).toMatchObject({ state: 'waiting', reason: 'A portal.' });
  file.applyEvent({ event: 'connected' });
  file.applyEvent({ event: 'disconnected', reason: 'transport close' });
  await file.close();
  expect(await read()).toMatchObject({ state: 'waiting', reason: 'transport close' });
});

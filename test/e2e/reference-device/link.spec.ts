import { join } from 'node:path';
import { DeviceProgram } from '../../support/device-program';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;

describe('link', () => {
  const keyFile = join(createTempFolder(), "ada's keys", 'machine.json');
  let service: Service;
  let ada: ForeignAccountDevice;
  const programs: DeviceProgram[] = [];

  beforeAll(async () => {
    await ensureServiceBuilt();
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(async () => {
    programs.forEach((program) => program.signal('SIGKILL'));
    await service?.stop();
  });

  function start(args: string[], file = keyFile): DeviceProgram {
    const program = DeviceProgram.start([...args, '--url', service.url], file);
    programs.push(program);
    return program;
  }

  async function waitForCode(program: DeviceProgram): Promise<string> {
    await waitFor(() => expect(program.out).toContain('approve '), WITHIN_MS);
    return /#code=(\S+)/.exec(program.out)![1]!;
  }

  async function approve(code: string): Promise<void> {
    const { data } = expectStatus(await service.http.get(`/v1/pairings/code/${code}`, ada.token), 200);
    const { publicKey, encryptionKey } = data;
    const enrollment = ada.createEnrollment({ keys: { publicKey, encryptionKey } });
    expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
  }

  it('shows the page for the approval and the fingerprint, waits, and says how to start the machine', async () => {
    const link = start(['link', '--name', 'build box', '--platform', 'plan9']);
    const code = await waitForCode(link);
    expect(link.out).toContain(`Approve at    ${service.url}/console/devices#code=${code}`);
    expect(link.out).toContain(`approve ${code}`);
    expect(link.out).not.toContain('\u001b');
    const { data } = expectStatus(await service.http.get(`/v1/pairings/code/${code}`, ada.token), 200);
    expect(data).toMatchObject({ kind: 'machine', name: 'build box', platform: 'plan9' });
    expect(link.out).toContain(`Fingerprint   ${data.fingerprint}`);
    await approve(code);
    expect(await link.ended).toMatchObject({ status: 0, err: '' });
    expect(link.out).toContain(`This computer is now a machine of ${ada.username}.`);
    const quoted = `'${keyFile.replace("'", `'\\''`)}'`;
    expect(link.out).toMatch(/Start it here: +npm run device -- machine --key-file /);
    expect(link.out).toContain(`npm run device -- service install --key-file ${quoted}\n`);
  });

  it('has a key file that machine starts with without an account, and that another account cannot use', async () => {
    const machine = start(['machine']);
    await waitFor(() => expect(machine.out).toMatch(new RegExp(`^Serving +${ada.username}$`, 'm')), WITHIN_MS);
    expect(await start(['link']).ended).toMatchObject({ status: 2 });
    machine.signal('SIGTERM');
    expect(await machine.ended).toMatchObject({ status: 0 });
    expect(await start(['machine', '--account', 'mallory']).ended).toMatchObject({
      status: 4,
      err: expect.stringContaining(`paired with "${ada.username}", not with "mallory"`),
    });
    const again = await start(['link', '--json']).ended;
    expect(JSON.parse(again.out)).toMatchObject({ linked: true, isNew: false, account: ada.username });
    expect(JSON.parse(again.out)).toMatchObject({ service: service.url });
  });

  it('links nothing that another account has approved than the one that is named', async () => {
    const file = join(createTempFolder(), 'machine.json');
    const link = start(['link', '--account', 'grace'], file);
    await approve(await waitForCode(link));
    expect(await link.ended).toMatchObject({ status: 4, err: expect.stringContaining('not with "grace"') });
    expect(await start(['machine'], file).ended).toMatchObject({ status: 2 });
  });

  it('continues with the same code after an interruption', async () => {
    const file = join(createTempFolder(), 'machine.json');
    const first = start(['link'], file);
    const code = await waitForCode(first);
    first.signal('SIGINT');
    expect(await first.ended).toMatchObject({ status: 1, err: expect.stringContaining('Not linked') });
    const second = start(['link'], file);
    expect(await waitForCode(second)).toBe(code);
    await approve(code);
    expect(await second.ended).toMatchObject({ status: 0 });
  });

  it('needs no address where the account device of this user has one, also for "machine"', async () => {
    const env = { HOME: createTempFolder() };
    const run = (...args: string[]) => DeviceProgram.start(args, undefined, env).ended;
    expect(await run('signup', '--username', 'hedy', '--url', service.url)).toMatchObject({ status: 0 });
    for (const args of [['link'], ['machine', '--account', 'hedy']]) {
      const program = DeviceProgram.start(args, join(createTempFolder(), 'machine.json'), env);
      programs.push(program);
      await waitForCode(program);
      expect(program.out).toContain(`${service.url}/console/devices#code=`);
    }
  });

  it('is required, or a name, before a machine is paired', async () => {
    const machine = await start(['machine'], join(createTempFolder(), 'machine.json')).ended;
    expect(machine).toMatchObject({ status: 2, err: expect.stringContaining('npm run device -- link --key-file') });
  });
});

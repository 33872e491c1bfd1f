import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { DeviceContentClient, type OpenedMessage } from '../content/device-content-client';
import { MemoryKeyStore, signUp } from '../index';
import { computeDeviceFingerprint, generateDeviceKeys, getPublicKeys } from '../keys';
import { FakeServiceError } from '../testing/fake-accounts';
import { FakeService } from '../testing/fake-service';
import { runDeviceCli } from './run-device-cli';
import { Terminal } from './terminal';

let service: FakeService;
beforeEach(async () => (service = await new FakeService().start()));
afterEach(() => service.stop());

describe('the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'device-cli-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function cli(line: string, input = '', device = line.includes('recover ') ? 2 : 1, isTTY = false) {
    const stdin = Object.assign(new PassThrough(), { isTTY });
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    stdin.end(input);
    const file = join(folder, `${service.accounts.url.split(':').at(-1)}-${device}.json`);
    const code = await runDeviceCli(
      `${line} --key-file ${file} --url ${service.url}`.split(' '),
      new Terminal(stdin, stdout, stderr),
    );
    return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
  }

  it('signs up, lists, approves and makes tokens', async () => {
    const made = await cli('signup --username grace');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toMatch(/This recovery key is shown only once/);
    expect((await cli('whoami')).out).toMatch(/^Account +grace \(acc_1\)$/m);
    expect((await cli('devices')).out).toMatch(/account +offline .* \(this device\)$/m);
    expect(await cli('token create --name ci --scopes sessions:read')).toMatchObject({
      code: 0,
      out: 'svc_pat_secret\n',
    });
    const limits = '--machines mch_1,mch_2 --expires-in-days 30';
    const limited = await cli(`token create --name ci --scopes machines:invoke ${limits} --json`);
    expect(JSON.parse(limited.out).data).toMatchObject({
      scopes: ['machines:invoke'],
      machineIds: ['mch_1', 'mch_2'],
      expiresInDays: 30,
    });
    expect((await cli('token create --name ci --scopes machines:invoke --machines mch_1')).err).toContain(
      'can run any command on these machines',
    );
    expect((await cli('token create --name ci --scopes machines:invoke')).err).toContain(
      'can run any command on each machine',
    );
    expect((await cli('approve ABCD-0000')).code).toBe(2);
    expect(await cli('approve ABCD-0000 --yes')).toMatchObject({
      code: 1,
      err: 'error: Refused with not_found. (not_found, req_1)\n',
    });
    const json = JSON.parse((await cli('whoami --json')).out);
    expect(json.account.username).toBe('grace');
  });

  it('signs up once, with an invitation and a name, and prints the recovery key as JSON', async () => {
    expect((await cli('whoami')).err).toContain('contains no account device. Run "signup" first.');
    const bodies: object[] = [];
    service.getRequestError = (route, body) => {
      if (route === 'POST /v1/accounts') bodies.push(body);
      return undefined;
    };
    const made = await cli('signup --username grace --invitation svc_inv_1 --name laptop --platform plan9 --json');
    expect(bodies).toMatchObject([{ invitation: 'svc_inv_1', device: { name: 'laptop', platform: 'plan9' } }]);
    const { account, keyFile, recoveryKey } = JSON.parse(made.out);
    expect([account.username, JSON.parse(readFileSync(keyFile, 'utf8')).account.username]).toEqual(['grace', 'grace']);
    const again = await cli('signup --username heidi');
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('already holds a device of grace.') });
    expect(bodies).toHaveLength(1);
    expect(await cli('recover --json', `${recoveryKey}\n`)).toMatchObject({ code: 0 });
  });

  it.each([
    ['approve', 'y', 0, 'approved'],
    ['approve', 'n', 1, 'pending'],
    ['deny', '', 0, 'denied'],
  ])('runs "%s" for a device, with the answer %j on a terminal', async (command, answer, code, state) => {
    await cli('signup --username grace');
    const requestedDevice = { ...getPublicKeys(generateDeviceKeys()), kind: 'machine', name: 'box' } as const;
    const pairing = { id: 'pair_1', code: 'WXYZ-2345', state: 'pending', accountUsername: null } as const;
    service.accounts.pairings.splice(0, 1, { ...pairing, requestedDevice });
    const { err, ...result } = await cli(`${command} WXYZ-2345`, `${answer}\n`, 1, true);
    expect([result.code, service.accounts.pairings[0]!.state]).toEqual([code, state]);
    expect(err.endsWith('error: Not approved.\n')).toBe(code === 1);
  });

  it('warns a machine that is process 1 of its container', async () => {
    expect((await cli('machine --cwd /nonexistent')).err).not.toContain('process 1');
    const { pid } = process;
    Object.defineProperty(process, 'pid', { value: 1 });
    const { err } = await cli('machine --cwd /nonexistent');
    Object.defineProperty(process, 'pid', { value: pid });
    expect(err).toMatch(/^warning: This is process 1 of its container\. .* "docker run --init" or tini\.\nerror: /);
  });

  it('registers apps and lists them', async () => {
    await cli('signup --username grace');
    const redirects = '--redirect-uri https://app.example/callback --redirect-uri http://127.0.0.1/callback';
    expect(await cli(`app create --name Notes ${redirects} --homepage-url https://app.example`)).toEqual({
      code: 0,
      out: 'Client ID      svc_oapp_1\nClient secret  svc_ocs_secret\n',
      err: 'This secret is shown only once.\n',
    });
    const redirectUris = ['https://app.example/callback', 'http://127.0.0.1/callback'];
    expect(service.apps).toMatchObject([{ name: 'Notes', redirectUris, homepageUrl: 'https://app.example' }]);
    expect((await cli('app list')).out.split(/\s+/)).toEqual(
      expect.arrayContaining(['svc_oapp_1', 'active', '3', 'Notes', redirectUris.join(',')]),
    );
    expect(JSON.parse((await cli('app list --json')).out)).toMatchObject([{ clientId: 'svc_oapp_1' }]);
    expect(
      JSON.parse((await cli('app create --json --name Notes --redirect-uri https://a.example')).out),
    ).toMatchObject({ data: { redirectUris: ['https://a.example'] }, clientSecret: 'svc_ocs_secret' });
  });

  it('recovers from a file and from standard input', async () => {
    const ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
    const recoveryKey = await ada.addRecoveryKey();
    const keyFile = join(folder, 'recovery.txt');
    writeFileSync(keyFile, `${recoveryKey}\n`);
    expect((await cli('recover --json', `${recoveryKey.toLowerCase()}\n`)).code).toBe(0);
    expect(await cli(`recover --recovery-key-file ${keyFile}`, '', 3)).toMatchObject({
      code: 0,
      out: expect.stringContaining('This computer is now a device of ada.'),
    });
    expect((await cli(`recover --recovery-key-file ${keyFile}`)).err).toContain('already holds a device');
  });

  it('shows what others have written on lines of its own and without control characters', async () => {
    await cli('signup --username grace');
    service.accounts.devices[0]!.name = 'mine\n\u001b[2K\u202e';
    expect((await cli('devices')).out).toContain(' mine\ufffd\ufffd[2K\ufffd (this device)\n');
    const keys = generateDeviceKeys();
    const kind = 'machine\nFingerprint  AAAA-AAAA-AAAA-AAAA\u001b[1A' as 'machine';
    const requestedDevice = { ...getPublicKeys(keys), kind, name: 'box\r\nName' };
    const pairing = { id: 'pair_1', code: 'WXYZ-2345', state: 'pending', accountUsername: null } as const;
    service.accounts.pairings.splice(0, 1, { ...pairing, requestedDevice });
    const { code, out } = await cli('approve WXYZ-2345 --yes');
    expect([code, out.match(/^\S+(?= {2})/gm)]).toEqual([0, ['Kind', 'Name', 'Platform', 'Address', 'Fingerprint']]);
    expect(out).toContain(`\nFingerprint  ${computeDeviceFingerprint(keys)}\n`);
    expect(out).not.toContain('\u001b');
    service.getRequestError = () => new FakeServiceError(404, 'not_found', { detail: 'No.\u001b[2J' });
    expect((await cli('deny WXYZ-2345')).err).toBe('error: No.\ufffd[2J (not_found, req_1)\n');
  });

  it('reads a history, and ends with 1 if some of it can not be trusted', async () => {
    await cli('signup --username grace');
    const message = { id: 'msg_1', seq: 1, localId: 'l', role: 'user', createdAt: 0 };
    const opened = { mediaType: 'text/plain', bytes: Buffer.from('one\n\ttwo\u001b[2J') };
    const messages = [
      { ...message, opened },
      { ...message, seq: 2, opened: null, failureReason: 'It is of another place.' },
    ] as unknown as OpenedMessage[];
    jest.spyOn(DeviceContentClient.prototype, 'getSession').mockResolvedValue({} as never);
    const read = jest.spyOn(DeviceContentClient.prototype, 'readHistory');
    read.mockImplementation(() => Readable.from(messages) as unknown as AsyncGenerator<OpenedMessage>);
    const text = await cli('read work');
    expect(text.out).toMatch(
      /^#1 .* user\none\n\ttwo\ufffd\[2J\n\n#2 .* user\n\[unreadable: It is of another place\.\]\n\n$/,
    );
    expect(text).toMatchObject({ code: 1, err: expect.stringContaining("Don't trust this history.") });
    const json = await cli('read work --json --after-seq 7');
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { seq: 1, text: 'one\n\ttwo\u001b[2J' },
      { seq: 2, fault: 'It is of another place.' },
    ]);
    expect([json.code, read.mock.lastCall?.[1]]).toEqual([1, 7]);
    jest.restoreAllMocks();
  });

  it('ends with 4 once the service has refused the device for good, or proves nothing', async () => {
    await cli('signup --username grace');
    const [device] = service.accounts.devices;
    service.accounts.tokens.clear();
    device!.enrollment = 'e30.e30.e30';
    expect(await cli('whoami')).toMatchObject({ code: 4, err: expect.stringContaining('a different enrollment') });
    device!.enrollment = null;
    device!.revoked = true;
    expect(await cli('whoami')).toMatchObject({ code: 4, err: expect.stringContaining('This device was revoked') });
  });

  it.each([
    ['', 2],
    ['nonsense', 2],
    ['token', 2],
    ['app', 2],
    ['app create --name Notes', 2],
    ['app create --name Notes --redirect-uri ', 2],
    ['signup', 2],
    ['signup --username ', 2],
    ['signup --nonsense', 2],
    ['approve', 2],
    ['revoke a b', 2],
    ['token create --name x --scopes a --expires-in-days soon', 2],
    ['machine --account ada --on-message "open', 2],
    ['machine --account ada --cwd /missing', 1],
    ['machine --account ada --cwd /missing --agent a --on-message b', 2],
    ['whoami', 1],
    ['grant work --expires soon', 2],
    ['grant work --token tok_1 --app svc_oapp_1', 2],
    ['token create --help', 0],
    ['help grant', 0],
    ['help', 0],
  ])('answers "%s" with exit code %i', async (line, code) => expect((await cli(line)).code).toBe(code));

  it('writes help to standard output and usage errors to standard error', async () => {
    expect(await cli('help')).toMatchObject({ err: '', out: expect.stringContaining('Usage: npm run device --') });
    expect(await cli('approve')).toMatchObject({ err: expect.stringContaining("argument 'code'"), out: '' });
  });

  it('describes every command within 80 columns', async () => {
    const { out: overview } = await cli('help');
    const names = [...overview.matchAll(/^ {2}([a-z-]+) +[A-Z]/gm)].map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['signup', 'approve', 'token', 'app', 'grant', 'read', 'artifact', 'machine']),
    );
    for (const line of [
      'help',
      ...names.map((name) => `help ${name}`),
      'token create --help',
      'app create --help',
      'artifact put --help',
    ])
      expect((await cli(line)).out.split('\n').filter((text) => text.length > 80)).toEqual([]);
  });
});

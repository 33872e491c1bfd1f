import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJson, runXapi, type XapiEnv } from '../support/clients/xapi';
import { ForeignAccountDevice } from '../support/device/foreign-device';
import { ThirdPartyApp } from '../support/oauth/third-party-app';
import { createScratchFolder } from '../support/scratch-folder';
import { Service } from '../support/service';

const EMPTY = { version: 1, currentHost: null, hosts: {} };

describe('the file of logins of xapi', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let env: XapiEnv;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'profile:read']));
  });
  afterAll(() => service?.stop());
  beforeEach(() => (env = { XDG_CONFIG_HOME: createScratchFolder() }));

  const getPath = () => join(env.XDG_CONFIG_HOME!, 'xapi', 'credentials.json');
  const logIn = (more: XapiEnv = {}) => runXapi(['login', '--host', service.url], { ...env, ...more }, `${token}\n`);
  const listFiles = () => readdirSync(dirname(getPath()));

  function store(contents: object, path = getPath()): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(contents), { mode: 0o600 });
  }

  /** Lets functions of Node.js fail in the process. */
  function createFault(code: string): XapiEnv {
    const file = join(createScratchFolder(), 'fault.cjs');
    const fail = "(code) => { throw Object.assign(new Error(code + ': failed'), { code }); }";
    writeFileSync(
      file,
      `const [fs, os, fail] = [require('node:fs'), require('node:os'), ${fail}];
       const { openSync } = fs;
       ${code};
       require('node:module').syncBuiltinESMExports();`,
    );
    return { NODE_OPTIONS: `--require ${file}` };
  }
  const WITHOUT_HOME = "os.homedir = () => fail('ENOENT')";
  const MOUNTED = "fs.renameSync = () => fail('EBUSY')";
  const READ_ONLY =
    "fs.writeFileSync = fs.mkdirSync = () => fail('EROFS'); " +
    "fs.openSync = (...args) => (args[1] === 'r' || args[1] === undefined ? openSync(...args) : fail('EROFS'))";
  const FULL = "fs.fsyncSync = () => fail('ENOSPC')";

  it('may be a symbolic link, whose target gets the login', async () => {
    const target = join(createScratchFolder(), 'dotfiles', 'credentials.json');
    store(EMPTY, target);
    mkdirSync(dirname(getPath()));
    symlinkSync(target, getPath());
    expect(await logIn()).toMatchObject({ code: 0 });
    expect(lstatSync(getPath()).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(target, 'utf8')).hosts[service.url]).toEqual({ kind: 'token', token });
    expect([...readdirSync(dirname(target)), ...listFiles()]).toEqual(Array(2).fill('credentials.json'));
  });

  it("may be a mount of its own, which can't be replaced", async () => {
    store({ ...EMPTY, unused: 'x'.repeat(2_000) });
    expect(await logIn(createFault(MOUNTED))).toMatchObject({ code: 0 });
    expect(await readJson(['whoami'], env)).toMatchObject({ account: { id: ada.accountId } });
    expect(listFiles()).toEqual(['credentials.json']);
  });

  it('says what to do in a read-only folder, where a stored login still works', async () => {
    await logIn();
    const { code, err } = await logIn(createFault(READ_ONLY));
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .*credentials\.json\S* can't be written \(EROFS\)\.\n.*set XDG_CONFIG_HOME/m);
    expect(await runXapi(['whoami'], { ...env, ...createFault(READ_ONLY) })).toMatchObject({ code: 0 });
  });

  it('leaves no unfinished file with a token behind on a full disk', async () => {
    const { code, err } = await logIn(createFault(FULL));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("can't be written (ENOSPC)") });
    expect(listFiles()).toEqual([]);
  });

  it('is checked before the refresh token of an app is used up', async () => {
    const app = await ThirdPartyApp.register(ada);
    const tokens = await app.obtainTokens(service, ada);
    const { clientId, clientSecret } = app;
    const login = { kind: 'oauth', clientId, clientSecret, accessToken: tokens.access_token, expiresAt: 0 };
    const hosts = { [service.url]: { ...login, refreshToken: tokens.refresh_token } };
    store({ version: 1, currentHost: service.url, hosts });
    const { code, err } = await runXapi(['whoami'], { ...env, ...createFault(FULL) });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("can't be written (ENOSPC)") });
    expect(await runXapi(['whoami'], env)).toMatchObject({ code: 0 });
  });

  it('needs no home folder where nobody reads it, and names HOME otherwise', async () => {
    const homeless = createFault(WITHOUT_HOME);
    const { code } = await runXapi(['whoami'], { ...homeless, XAPI_HOST: service.url, XAPI_TOKEN: token });
    expect(code).toBe(0);
    const refused = await runXapi(['whoami'], homeless);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^error: There is no folder for logins, because HOME is not set\.\nSet HOME or XDG/);
  });
});

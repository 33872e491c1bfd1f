import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { itWith } from '../support/dependencies';
import { findFreePort } from '../support/find-free-port';
import { getXapiPath, runOnTerminal, runXapi } from '../support/clients/xapi';
import { createScratchFolder } from '../support/scratch-folder';
import { waitFor } from '../support/wait-for';
import { createSelfSignedCertificate } from '../support/webhooks/self-signed-certificate';

const ROOT = join(__dirname, '..', '..');
const onTerminal = itWith('script');

describe('the command line of xapi', () => {
  const env = { XDG_CONFIG_HOME: createScratchFolder(), HOME: createScratchFolder() };
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  it('prints its version, and nothing else', async () => {
    expect(await runXapi(['--version'], env)).toMatchObject({ code: 0, out: 'xapi 0.1.0\n', err: '' });
    expect(JSON.parse((await runXapi(['--version', '--json'], env)).out)).toEqual({ version: '0.1.0' });
  });

  it.each(['xapi', 'xapi-device'])('runs as npx %s after npm ci in a checkout', (name) => {
    const { status, stdout } = spawnSync('npx', ['--no', '--', name, '--help'], { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain(name === 'xapi' ? 'xapi COMMAND' : 'Usage: xapi-device <command>');
  });

  it('shows an overview, and the help of each command', async () => {
    const overview = await runXapi([], env);
    expect(overview).toMatchObject({ code: 0, err: '' });
    for (const name of ['login', 'send', 'run', 'approve', 'webhooks', 'completion'])
      expect(overview.out).toMatch(new RegExp(`^ {2}${name} +\\w`, 'm'));
    const help = await runXapi(['help', 'run'], env);
    expect(help.out).toContain('xapi run MACHINE [options] -- COMMAND [ARGUMENTS]');
    expect((await runXapi(['sessions', '--help'], env)).out).toContain('messages SESSION');
  });

  it.each([
    [['machins'], '"machins" is not a command. Did you mean "machines"?'],
    [['sessions', 'lst'], '"sessions lst" is not a command. Did you mean "list"?'],
    [['sessions', '--stat', 'active'], 'There is no option --stat. Did you mean "--state"?'],
    [['sessions', '--state', 'actve'], '--state is one of active, ended, not "actve". Did you mean "active"?'],
    [['send', 'ses_1'], 'TEXT is missing'],
    [['end', 'ses_1', 'now'], 'There is an argument too many: "now".'],
    [['send', 'ses_1', 'x', '--timeout', '5'], '--timeout takes a duration'],
    [['completion', 'tcsh'], 'SHELL is one of bash, zsh, fish'],
    [['api', 'GET', 'https://elsewhere.example/me'], 'The path must be one of'],
  ])('exits with 2 and says what is wrong: %j', async (args, message) => {
    const { code, out, err } = await runXapi(args, { ...env, XAPI_HOST: 'http://127.0.0.1:1', XAPI_TOKEN: 'x' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it('exits with 125 if run is used wrongly, because the other codes are those of the command', async () => {
    expect(await runXapi(['run', 'box', 'ls'], env)).toMatchObject({ code: 125, out: '' });
  });

  it.each([
    ["send ses_1 - <<< $'caf\\xe9'", 2, 'Standard input is not UTF-8.'],
    ["send ses_1 $'caf\\xe9'", 2, 'An argument is not UTF-8.'],
    ["run box -- rm $'caf\\xe9'", 125, 'An argument is not UTF-8.'],
  ])('refuses a text that it can not send as it is: %s', (args, status, message) => {
    const service = { XAPI_HOST: 'http://127.0.0.1:1', XAPI_TOKEN: 'x' };
    const refused = spawnSync('bash', ['-c', `'${getXapiPath()}' ${args}`], {
      env: { PATH: process.env.PATH, ...env, ...service },
      encoding: 'utf8',
    });
    expect(refused).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('prints an error as JSON on standard error with --json', async () => {
    const { code, out, err } = await runXapi(['whoami', '--json'], env);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_logged_in', exitCode: 1 } });
  });

  describe('without a usable service', () => {
    const whoami = (host: string) =>
      runXapi(['whoami', '--host', host, '--retry-for', '1s'], { ...env, XAPI_TOKEN: 'svc_pat_0123456789abcdef' });

    it('says that there is no such host', async () => {
      const { code, err } = await whoami('nowhere.invalid');
      expect(code).toBe(4);
      expect(err).toMatch(/^error: https:\/\/nowhere\.invalid can't be reached\. .+\n.*xapi whoami --host URL\n$/);
    });

    it('says that nothing listens', async () => {
      const { code, err } = await whoami(`http://127.0.0.1:${await findFreePort()}`);
      expect(code).toBe(4);
      expect(err).toMatch(/can't be reached\. Nothing accepts connections there\.\n/);
    });

    itWith('openssl')('says that a certificate is not trusted', async () => {
      const certificate = await createSelfSignedCertificate();
      const port = await listen(createTlsServer(certificate, (_, response) => response.end()));
      const { code, err } = await whoami(`https://127.0.0.1:${port}`);
      expect(code).toBe(4);
      expect(err).toContain('Its certificate is not trusted.\n');
      expect(err).toContain('NODE_EXTRA_CA_CERTS');
    });

    it('says that a server is another one', async () => {
      const port = await listen(createServer((_, response) => response.writeHead(404).end('<h1>Not here</h1>')));
      const { code, err } = await whoami(`http://127.0.0.1:${port}`);
      expect(code).toBe(1);
      expect(err).toContain('answers, but is not External API (HTTP status 404).');
      const https = await whoami(`https://127.0.0.1:${port}`);
      expect(https).toMatchObject({ code: 4 });
      expect(https.err).toContain("It doesn't speak TLS.");
    });

    it.each(['nowhere.invalid', 'http://127.0.0.1:1'])('never prints the token: %s', async (host) => {
      const { out, err } = await runXapi(['whoami', '--host', host, '--verbose', '--retry-for', '1s'], {
        ...env,
        XAPI_TOKEN: 'svc_pat_0123456789abcdef',
      });
      expect(out + err).not.toContain('0123456789abcdef');
      expect(err.split('\n').filter((line) => /^\s+at /.test(line))).toEqual([]);
    });
  });

  it('completes commands, options and values in bash', async () => {
    const { out } = await runXapi(['completion', 'bash'], env);
    const complete = (...words: string[]) => {
      const typed = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _xapi; echo "\${COMPREPLY[*]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split(' ');
    };
    expect(complete('xapi', 'web')).toEqual(['webhooks']);
    expect(complete('xapi', 'webhooks', 'l')).toEqual(['list', 'listen']);
    expect(complete('xapi', 'send', 'ses_1', 'x', '--w')).toEqual(['--wait']);
    expect(complete('xapi', 'sessions', '--state', 'e')).toEqual(['ended']);
    for (const shell of ['zsh', 'fish']) expect((await runXapi(['completion', shell], env)).out).toContain('webhooks');
  });

  it('ends quietly when the reader of a pipe has enough', () => {
    const script = `set -o pipefail; '${getXapiPath()}' completion fish | head -n 1`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stdout).toMatch(/^# xapi completion for fish/);
    expect(stderr).toBe('');
  });

  it.each(['completion fish', '--version'])('fails if its output does not fit on the disk: %s', (args) => {
    const script = `'${getXapiPath()}' ${args} > /dev/full`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: "error: Standard output can't be written (ENOSPC).\n" });
  });

  describe('a login on a terminal', () => {
    const secrets = { XAPI_TOKEN: 'svc_pat_0123456789abcdef', XAPI_CLIENT_SECRET: 'secret-of-an-app' };
    let folder: string;
    /** The address and the environment of the browser. */
    let opened: string;
    beforeEach(() => {
      folder = createScratchFolder();
      opened = join(folder, 'opened');
      const script = `#!/bin/sh\n{ printf 'address=%s\\n' "$1"; env; } > ${opened}.new\nmv ${opened}.new ${opened}\n`;
      for (const name of ['xdg-open', 'open']) writeFileSync(join(folder, name), script, { mode: 0o700 });
    });

    /** Returns the address that a login shows. Refuses it as soon as the promise resolves. */
    async function logIn(option: string, canRefuse: () => Promise<void>): Promise<string> {
      const command = `PATH=${folder}:$PATH xapi login --host http://127.0.0.1:1 ${option}`;
      let address = '';
      const onPrompt = async (shown: string): Promise<void> => {
        [address] = /^http\S+\/console\/tokens\/new\S+$/m.exec(shown)!;
        await canRefuse();
        const { port, state } = Object.fromEntries(new URL(address).searchParams);
        await fetch(`http://127.0.0.1:${port}/callback?state=${state}&error=access_denied`);
      };
      const prompt = 'Or paste a personal access token: ';
      const { code } = await runOnTerminal(command, { ...env, ...secrets }, { prompt, onPrompt });
      expect(code).toBe(1);
      return address;
    }

    onTerminal('opens the browser at the address, and gives it no credential of the environment', async () => {
      const address = await logIn('', () => waitFor(() => expect(existsSync(opened)).toBe(true), 20_000));
      const text = readFileSync(opened, 'utf8');
      expect(text).toContain(`address=${address}\n`);
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    });

    onTerminal('opens no browser with --no-browser', async () => {
      await logIn('--no-browser', () => Promise.resolve());
      expect(readdirSync(folder).sort()).toEqual(['open', 'xdg-open']);
    });
  });

  onTerminal('fits 40 columns, with colours only if they are wanted', async () => {
    const colored = await runOnTerminal('xapi; xapi run --help', env, { columns: 40 });
    expect(colored.text).toContain('\x1b[1mUsage\x1b[0m');
    const plain = await runOnTerminal('xapi --no-color; NO_COLOR=1 xapi run --help', env, { columns: 40 });
    expect(plain.text).not.toContain('\x1b');
    expect(plain.text.split('\n').filter((line) => line.length > 40)).toEqual([]);
    expect(plain.text).toContain('login');
  });
});

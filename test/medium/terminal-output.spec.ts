import { spawn } from 'node:child_process';
import { itWith } from '../support/dependencies';
import { findProgram } from '../support/program-files';
import { findFreePort } from '../support/find-free-port';
import { createMigratedDatabase } from '../support/postgres';
import { createMigratedFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { setUrlCredentials } from '../support/with-password';

const MAIN = findProgram('service');

describe('the output of the service', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** Runs the service on a terminal or with a pipe as its output. Returns the output so far. */
  async function start(isOnTerminal: boolean, settings: NodeJS.ProcessEnv = {}) {
    const [port, dataDir] = [await findFreePort(), createMigratedFolder()];
    const { PATH } = process.env;
    const env = { PATH, TERM: 'dumb', PORT: String(port), DATA_DIR: dataDir, ...settings };
    const command = `exec '${process.execPath}' '${MAIN}'`;
    const args = isOnTerminal ? ['script', ['-qec', command, '/dev/null']] : ['sh', ['-c', command]];
    const child = spawn(args[0] as string, args[1] as string[], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
    stops.push(async () => {
      // Ctrl-C: "script" waits several seconds before it passes a signal on.
      if (isOnTerminal) child.stdin.write('\x03');
      else child.kill('SIGTERM');
      await exited;
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const url = `http://localhost:${port}`;
    await waitFor(async () => expect((await fetch(`${url}/health/ready`)).ok).toBe(true), 60_000);
    return { url, dataDir, getText: () => text.replaceAll('\r\n', '\n') };
  }

  const onTerminal = itWith('script');
  onTerminal('is a banner and one short line per event on a terminal', async () => {
    const { url, dataDir, getText } = await start(true);
    await fetch(`${url}/external/v1/me`, { headers: { authorization: 'Bearer svc_pat_hunter2' } });
    await waitFor(() => expect(getText()).toContain('GET /external/v1/me'));
    expect(getText()).toContain(`
  Listening. Press Ctrl-C to stop.

  Console  ${url}/console
  Docs     ${url}/docs
  Data     ${dataDir}
`);
    expect(getText()).toMatch(/^\d\d:\d\d:\d\d {2}GET \/external\/v1\/me {2}401 invalid_token {2}\d+ ms {2}req_\w+$/m);
    expect(getText()).not.toMatch(/[{}]|hunter2/);
    expect(getText()).not.toContain('\x1b');
  });

  onTerminal('is JSON on the terminal of a production container', async () => {
    const { getText } = await start(true, { NODE_ENV: 'production' });
    await waitFor(() => expect(getText()).toContain('"listening"'));
    for (const line of getText().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  });

  itWith('script', 'PostgreSQL')('is a banner that names PostgreSQL without its password', async () => {
    const { env, url, dropDatabase } = await createMigratedDatabase();
    const { getText } = await start(true, { ...env, DATABASE_URL: setUrlCredentials(url, 'postgres', 'hunter2') });
    stops.push(dropDatabase);
    const { host, pathname } = new URL(url);
    await waitFor(() => expect(getText()).toContain(`\n  Data     PostgreSQL, ${host}${pathname}\n`));
    expect(getText()).not.toContain('hunter2');
  });

  it('is JSON for other programs', async () => {
    const { url, getText } = await start(false);
    await waitFor(() => expect(getText()).toContain('"listening"'));
    const entries = getText()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 30, msg: 'listening', publicUrl: url, host: '127.0.0.1' }),
    );
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { renderInstallScript } from '../../src/web/packages/install-script.controller';
import { PackageStore } from '../../src/web/packages/package-store';

const INSTALLED = ['xapi', 'xapi-device'].flatMap((name) => [`bin/${name}`, `lib/external-api/${name}.cjs`]);

/** The home of a user who runs `install.sh`. */
export class InstallHome {
  readonly path = mkdtempSync(join(tmpdir(), 'install-home-'));
  private readonly servers: Server[] = [];

  constructor() {
    // The user of one test is not that of the others.
    chmodSync(this.path, 0o755);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    for (const server of this.servers) server.close().closeAllConnections();
  }

  /** Runs a script, which a shell reads from its standard input. */
  start(text: string, env: NodeJS.ProcessEnv = {}, [shell, ...args]: string[] = ['sh'], uid?: number) {
    const child = spawn(shell!, args, {
      cwd: this.path,
      env: { HOME: this.path, PATH: getNodePath(), ...env },
      detached: true,
      uid,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.stdin.on('error', () => undefined).end(text);
    const exited = new Promise<{ code: number | null; output: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, output })),
    );
    return { child, exited };
  }

  install(...args: Parameters<InstallHome['start']>) {
    return this.start(...args).exited;
  }

  /** Runs a command to its end. */
  run(command: string, arg: string, env: NodeJS.ProcessEnv = {}) {
    const ownEnv = { HOME: this.path, PATH: getNodePath(), ...env };
    return spawnSync(command, [arg], { cwd: this.path, env: ownEnv, encoding: 'utf8' });
  }

  listFiles(path = '.'): string[] {
    return readdirSync(join(this.path, path), { recursive: true, encoding: 'utf8' }).sort();
  }

  /** Checks that both commands are there, and nothing else. */
  expectInstalled(prefix = '.local'): void {
    expect(this.listFiles(prefix)).toEqual([...INSTALLED, 'bin', 'lib', 'lib/external-api'].sort());
  }

  /** Starts a server that answers for the service. `script` is that of the service at its address. */
  async serve(listener: RequestListener, { descriptions } = new PackageStore().getPackages()) {
    const server = createServer(listener);
    this.servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, script: renderInstallScript(url, descriptions) };
  }
}

/** Returns a PATH with a program of Node.js, and those of the system. */
export const getNodePath = (node = process.execPath) => `${dirname(node)}:/usr/bin:/bin`;

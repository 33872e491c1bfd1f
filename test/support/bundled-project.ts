import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTempFolder } from './temp-folder';

const ROOT = join(__dirname, '..', '..');
const BUILD_TOOL = join(ROOT, 'tools', 'build.mjs');
/** What each program needs to be launched from a bundle. */
const LAUNCHER = ['src/programs/launcher', 'src/common/source-maps.ts'];

export interface RunResult {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** User of the process, if the tests run as root. */
  uid?: number;
  /** Another version of Node.js. */
  node?: string;
}

/** A small project with the launcher and one program, the service, for tests of the build. */
export class BundledProject {
  readonly programs: string;

  constructor(readonly folder = createTempFolder()) {
    this.programs = join(folder, 'dist', 'programs');
    // Another user may run it.
    chmodSync(folder, 0o755);
    for (const path of LAUNCHER) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    this.writeFile('package-lock.json', '{}');
  }

  writeFile(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  buildProject(): RunResult {
    return spawnSync(process.execPath, [BUILD_TOOL, this.folder], { encoding: 'utf8' });
  }

  /** Builds while other builds may run. */
  async startBuild(): Promise<{ status: number; stderr: string }> {
    const child = spawn(process.execPath, [BUILD_TOOL, this.folder], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { status: status as number, stderr };
  }

  /** @param options of Node.js */
  runService(options: string[] = [], { uid, node = process.execPath }: RunOptions = {}): RunResult {
    const main = join(this.programs, 'service.js');
    return spawnSync(node, [...options, main], { encoding: 'utf8', env: {}, uid, gid: uid });
  }

  /** Returns the names of all files with compiled code, unfinished ones included. */
  listCaches(): string[] {
    return readdirSync(this.programs).filter((name) => name.includes('.cache'));
  }
}

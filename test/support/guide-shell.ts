import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const REPOSITORY_FOLDER = join(__dirname, '..', '..');
const GUIDE_PAGES_FOLDER = join(REPOSITORY_FOLDER, 'docs', 'guide');

/** Returns the commands, or code, below a heading of a guide page, with the URL of the service. */
export function readGuideCommands(page: string, heading: string, host: string, language = 'sh'): string[] {
  const markdown = readFileSync(join(GUIDE_PAGES_FOLDER, `${page}.md`), 'utf8');
  const [, section] = markdown.split(new RegExp(`^## ${heading}$`, 'm'));
  if (section === undefined) throw new Error(`${page}.md has no heading "${heading}"`);
  const blocks = section.split(/^## /m)[0]!.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(([, commands]) => commands!.replaceAll('{host}', host));
}

/** Shell in a folder with the guide's example programs and `jose`. */
export class GuideShell {
  readonly folder = mkdtempSync(join(tmpdir(), 'guide-'));
  private readonly runningProcesses = new Set<ChildProcess>();

  constructor() {
    cpSync(join(GUIDE_PAGES_FOLDER, 'examples'), this.folder, { recursive: true });
    symlinkSync(join(REPOSITORY_FOLDER, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /**
   * Runs the commands sequentially in one shell and returns their standard output.
   * @param onNotice receives the standard error so far, whenever it grows
   * @throws Error with both outputs if a command fails
   */
  runCommands(
    commands: string,
    env: NodeJS.ProcessEnv = {},
    onNotice: (notice: string) => void = () => undefined,
  ): Promise<string> {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.runningProcesses.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      onNotice(stderr);
    });
    return new Promise((resolve, reject) => {
      child.once('close', (code) => {
        this.runningProcesses.delete(child);
        if (code === 0) resolve(stdout);
        else reject(new Error(`exit ${code}: ${stdout}${stderr}`));
      });
    });
  }

  close(): void {
    for (const child of this.runningProcesses) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

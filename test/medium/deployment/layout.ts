import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readDockerfile, ROOT, type Copy, type Stage } from './dockerfile';

/** The image's files under /app, made in a folder of its own by following deploy/Dockerfile; no container is needed. */
export class Layout {
  private readonly base = mkdtempSync(join(tmpdir(), 'external-api-image-'));
  readonly image: Stage;

  private constructor(private readonly stages: Stage[]) {
    this.image = stages.at(-1)!;
  }

  static make(): Layout {
    const layout = new Layout(readDockerfile());
    try {
      for (const stage of layout.stages) layout.follow(stage);
    } catch (error) {
      layout.remove();
      throw error;
    }
    return layout;
  }

  get folder(): string {
    return this.folderOf(this.image.name);
  }

  /** Whatever any stage takes from the project's folder. */
  get copied(): string[] {
    const copies = this.stages.flatMap((stage) => stage.copies);
    return copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources);
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  private folderOf(stage: string | null): string {
    return join(this.base, stage ?? 'image');
  }

  private follow(stage: Stage): void {
    const folder = this.folderOf(stage.name);
    mkdirSync(folder, { recursive: true });
    for (const copy of stage.copies) this.copy(copy, folder);
    for (const run of stage.runs) {
      // All of the dependencies stand here already, from the same lockfile.
      if (/^npm ci (?!.*--omit)/.test(run)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      else if (run.startsWith('npm ')) npm(run, folder);
    }
  }

  private copy({ from, sources, target }: Copy, folder: string): void {
    for (const source of sources) {
      const path = from ? join(this.folderOf(from), source.replace(/^\/app\//, '')) : join(ROOT, source);
      const isInto = target.endsWith('/') || target === '.';
      const destination = join(folder, target, isInto ? basename(source) : '');
      mkdirSync(dirname(destination), { recursive: true });
      cpSync(path, destination, { recursive: true, verbatimSymlinks: true });
    }
  }
}

function npm(line: string, cwd: string): void {
  const [command, ...args] = line.split(' ');
  const offline = args[0] === 'ci' ? ['--prefer-offline'] : [];
  const { status, stderr } = spawnSync(command!, [...args, ...offline], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
}

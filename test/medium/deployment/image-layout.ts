import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readDockerfile, REPOSITORY_ROOT, type DockerCopy, type DockerStage } from './dockerfile';

/** Creates the image's /app in a folder by following deploy/Dockerfile, without a container. */
export class ImageLayout {
  private readonly baseFolder = mkdtempSync(join(tmpdir(), 'external-api-image-'));
  readonly imageStage: DockerStage;

  private constructor(private readonly stages: DockerStage[]) {
    this.imageStage = stages.at(-1)!;
  }

  static buildLayout(): ImageLayout {
    const imageLayout = new ImageLayout(readDockerfile());
    try {
      for (const stage of imageLayout.stages) imageLayout.applyStage(stage);
    } catch (error) {
      imageLayout.removeFiles();
      throw error;
    }
    return imageLayout;
  }

  get folder(): string {
    return this.getStageFolder(this.imageStage.name);
  }

  /** Paths that any stage copies from the project's folder. */
  get copiedSources(): string[] {
    const copies = this.stages.flatMap((stage) => stage.copies);
    return copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources);
  }

  removeFiles(): void {
    rmSync(this.baseFolder, { recursive: true, force: true });
  }

  private getStageFolder(stage: string | null): string {
    return join(this.baseFolder, stage ?? 'image');
  }

  private applyStage(dockerStage: DockerStage): void {
    const folder = this.getStageFolder(dockerStage.name);
    mkdirSync(folder, { recursive: true });
    for (const copy of dockerStage.copies) this.copyFiles(copy, folder);
    for (const run of dockerStage.runs) {
      // The dependencies are already installed here from the same lockfile.
      if (/^npm ci (?!.*--omit)/.test(run))
        symlinkSync(join(REPOSITORY_ROOT, 'node_modules'), join(folder, 'node_modules'));
      else if (run.startsWith('npm ')) runNpm(run, folder);
    }
  }

  private copyFiles({ from, sources, target }: DockerCopy, folder: string): void {
    for (const source of sources) {
      const path = from
        ? join(this.getStageFolder(from), source.replace(/^\/app\//, ''))
        : join(REPOSITORY_ROOT, source);
      const isInto = target.endsWith('/') || target === '.';
      const destination = join(folder, target, isInto ? basename(source) : '');
      mkdirSync(dirname(destination), { recursive: true });
      cpSync(path, destination, { recursive: true, verbatimSymlinks: true });
    }
  }
}

function runNpm(line: string, cwd: string): void {
  const [command, ...args] = line.split(' ');
  const offline = args[0] === 'ci' ? ['--prefer-offline'] : [];
  const { status, stderr } = spawnSync(command!, [...args, ...offline], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
}

import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createDetachedRepository, type DetachedRepository } from './detached-repository';
import { runGit } from './run-git';

/** A larger work tree has no snapshot: the first one delays the prompt, and the second one the end of the turn. */
const TIMEOUT_MS = 5_000;

/** The files of a Git work tree at one moment, untracked ones included and ignored ones not. */
export class WorkTreeSnapshot {
  private constructor(
    private readonly repository: DetachedRepository,
    private readonly temporaryFolder: string,
    private readonly tree: string,
  ) {}

  /**
   * Returns null outside of a work tree.
   * @throws Error without Git, for a work tree that is too large, and for one that Git can't read
   */
  static async captureFolder(folder: string, timeoutMs = TIMEOUT_MS): Promise<WorkTreeSnapshot | null> {
    if (!(await isInWorkTree(folder))) return null;
    const signal = AbortSignal.timeout(timeoutMs);
    const temporaryFolder = await mkdtemp(join(tmpdir(), 'work-tree-'));
    try {
      const repository = await createDetachedRepository(folder, temporaryFolder, signal);
      return new WorkTreeSnapshot(repository, temporaryFolder, await writeTree(repository, signal));
    } catch (error) {
      await rm(temporaryFolder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Returns the changes since the snapshot as a binary patch for `git apply`; null without any.
   * @throws Error when the patch is too large, Git fails, or the time is over
   */
  async createPatch(timeoutMs = TIMEOUT_MS): Promise<Buffer | null> {
    const signal = AbortSignal.timeout(timeoutMs);
    const tree = await writeTree(this.repository, signal);
    if (tree === this.tree) return null;
    const args = ['diff', '--binary', '--no-color', '--no-ext-diff', '--no-textconv', this.tree, tree];
    return runGit(args, { ...this.repository, signal });
  }

  /** Deletes the snapshot's files. */
  async deleteFiles(): Promise<void> {
    await rm(this.temporaryFolder, { recursive: true, force: true });
  }
}

/**
 * Whether this folder or one above it has a `.git`, which is a file in linked work trees and submodules. Git would find
 * out more exactly, but starting it takes time at each turn.
 */
async function isInWorkTree(folder: string): Promise<boolean> {
  const start = await realpath(folder).catch(() => folder);
  for (let current = start; ; current = dirname(current)) {
    const isFound = await stat(join(current, '.git')).then(Boolean, () => false);
    if (isFound || dirname(current) === current) return isFound;
  }
}

/** Does what `git add --all` does, which would also run programs of submodules to find out whether they changed. */
async function writeTree(repository: DetachedRepository, signal: AbortSignal): Promise<string> {
  const options = { ...repository, signal };
  const changed = await runGit(['diff-files', '-z', '--name-status', '--ignore-submodules=dirty'], options);
  const untracked = await runGit(['ls-files', '-z', '--others', '--exclude-standard'], options);
  const { removedNames, changedNames } = parseNameStatus(changed);
  const removed = Buffer.from(removedNames.join(''), 'latin1');
  const added = Buffer.concat([Buffer.from(changedNames.join(''), 'latin1'), untracked]);
  await runGit(['update-index', '-z', '--force-remove', '--stdin'], { ...options, input: removed });
  await runGit(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { ...options, input: added });
  // A partial clone has fetched no files outside of its sparse checkout.
  return (await runGit(['write-tree', '--missing-ok'], options)).toString().trim();
}

/** Reads pairs of a status and a name, each with a NUL at its end. Names may have any bytes, so they are Latin-1. */
function parseNameStatus(output: Buffer): { removedNames: string[]; changedNames: string[] } {
  const parts = output.toString('latin1').split('\0').slice(0, -1);
  const names = { removedNames: [] as string[], changedNames: [] as string[] };
  for (let index = 0; index < parts.length; index += 2)
    (parts[index] === 'D' ? names.removedNames : names.changedNames).push(`${parts[index + 1]}\0`);
  return names;
}

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkTreeSnapshot } from './work-tree-snapshot';
import { describeWith } from '../../../../test/support/dependencies';

let folder: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder }).toString();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
  git('init', '--quiet');
  writeFileSync(join(folder, 'tracked.txt'), 'one\n');
  writeFileSync(join(folder, '.gitignore'), 'ignored.txt\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
});
afterEach(() => rmSync(folder, { recursive: true }));

function recreateRepository(...options: string[]): void {
  rmSync(join(folder, '.git'), { recursive: true });
  git('init', '--quiet', ...options);
}

/** Returns the contents of all files but those of Git, by path. */
function readFiles(root: string): [string, string][] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => !name.startsWith('.git/') && !statSync(join(root, name)).isDirectory())
    .map((name) => [name, readFileSync(join(root, name), 'utf8')]);
}

async function captureChanges(change: () => void): Promise<string | null> {
  const snapshot = await WorkTreeSnapshot.captureFolder(folder);
  change();
  const patch = await snapshot!.createPatch();
  await snapshot!.deleteFiles();
  return patch?.toString() ?? null;
}

describeWith('git')('WorkTreeSnapshot', () => {
  it('finds changed, new and deleted files, and applies to the earlier state', async () => {
    writeFileSync(join(folder, 'before.txt'), 'changed before\n');
    const patch = await captureChanges(() => {
      writeFileSync(join(folder, 'tracked.txt'), 'two\n');
      writeFileSync(join(folder, 'new.bin'), Buffer.from([0, 1, 2]));
      writeFileSync(join(folder, 'ignored.txt'), 'secret\n');
    });
    expect(patch).toContain('tracked.txt');
    expect(patch).not.toContain('before.txt');
    expect(patch).not.toContain('ignored.txt');
    writeFileSync(join(folder, 'tracked.txt'), 'one\n');
    rmSync(join(folder, 'new.bin'));
    execFileSync('git', ['apply'], { cwd: folder, input: patch! });
    expect(readFileSync(join(folder, 'tracked.txt'), 'utf8')).toBe('two\n');
    expect([...readFileSync(join(folder, 'new.bin'))]).toEqual([0, 1, 2]);
  });

  it('finds changes that were committed in the meantime', async () => {
    const patch = await captureChanges(() => {
      writeFileSync(join(folder, 'tracked.txt'), 'two\n');
      git('commit', '--quiet', '--all', '-m', 'second');
    });
    expect(patch).toContain('+two');
  });

  it('is null without changes, and leaves the repository as it is', async () => {
    writeFileSync(join(folder, 'untracked.txt'), 'text\n');
    const getObjects = () => readdirSync(join(folder, '.git', 'objects'), { recursive: true }).sort();
    const [objects, status] = [getObjects(), git('status', '--porcelain')];
    expect(await captureChanges(() => undefined)).toBeNull();
    expect(getObjects()).toEqual(objects);
    expect(git('status', '--porcelain')).toBe(status);
  });

  it('covers the whole work tree from a folder in it', async () => {
    mkdirSync(join(folder, 'sub'));
    const snapshot = await WorkTreeSnapshot.captureFolder(join(folder, 'sub'));
    writeFileSync(join(folder, 'tracked.txt'), 'two\n');
    expect((await snapshot!.createPatch())?.toString()).toContain('+two');
    await snapshot!.deleteFiles();
  });

  it('works in a partial clone with a sparse index, which lacks files outside of its cone', async () => {
    mkdirSync(join(folder, 'lib', 'deep'), { recursive: true });
    mkdirSync(join(folder, 'app'));
    for (const path of ['app/a.txt', 'lib/b.txt', 'lib/deep/c.txt']) writeFileSync(join(folder, path), path);
    git('add', '.');
    git('commit', '--quiet', '-m', 'second');
    git('config', 'uploadpack.allowFilter', 'true');
    const clone = `${folder}.clone`;
    git('clone', '--quiet', '--filter=blob:none', '--sparse', `file://${folder}`, clone);
    git('-C', clone, 'sparse-checkout', 'set', '--sparse-index', 'app');
    const snapshot = await WorkTreeSnapshot.captureFolder(clone);
    writeFileSync(join(clone, 'app', 'a.txt'), 'changed');
    writeFileSync(join(clone, 'app', 'new.txt'), 'new');
    const patch = (await snapshot!.createPatch())!.toString();
    expect(patch.match(/^diff --git .*$/gm)).toEqual([
      'diff --git a/app/a.txt b/app/a.txt',
      'diff --git a/app/new.txt b/app/new.txt',
    ]);
    await snapshot!.deleteFiles();
    rmSync(clone, { recursive: true });
  });

  it('works in a linked work tree, whose repository is named by a file', async () => {
    const linked = `${folder}.linked`;
    git('worktree', 'add', '--quiet', linked);
    const snapshot = await WorkTreeSnapshot.captureFolder(linked);
    writeFileSync(join(linked, 'tracked.txt'), 'two\n');
    expect((await snapshot!.createPatch())?.toString()).toContain('+two');
    await snapshot!.deleteFiles();
    rmSync(linked, { recursive: true });
  });

  it('finds files that became folders or links, deleted ones, and names of any kind', async () => {
    for (const name of ['deleted.txt', 'becomes-folder', 'becomes-link', ' odd\n"ä.txt'])
      writeFileSync(join(folder, name), `${name}\n`);
    mkdirSync(join(folder, 'becomes-file'));
    writeFileSync(join(folder, 'becomes-file', 'inner.txt'), 'inner\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'more');
    cpSync(folder, `${folder}.before`, { recursive: true });
    const patch = await captureChanges(() => {
      for (const name of ['deleted.txt', 'becomes-folder', 'becomes-link', 'becomes-file'])
        rmSync(join(folder, name), { recursive: true });
      mkdirSync(join(folder, 'becomes-folder'));
      writeFileSync(join(folder, 'becomes-folder', 'new.txt'), 'new\n');
      symlinkSync('tracked.txt', join(folder, 'becomes-link'));
      writeFileSync(join(folder, 'becomes-file'), 'file\n');
      writeFileSync(join(folder, ' odd\n"ä.txt'), 'odd\n');
      writeFileSync(join(folder, 'new\t.txt'), 'new\n');
    });
    execFileSync('git', ['apply'], { cwd: `${folder}.before`, input: patch! });
    expect(readFiles(`${folder}.before`)).toEqual(readFiles(folder));
    rmSync(`${folder}.before`, { recursive: true });
  });

  it.each([
    ['a split index', () => git('update-index', '--split-index')],
    ['other line ends', () => git('config', 'core.autocrlf', 'true')],
    ['objects of SHA-256', () => recreateRepository('--object-format=sha256')],
    ['no commit', () => recreateRepository()],
  ])('works with %s, and leaves the index as it is', async (_, prepare) => {
    prepare();
    writeFileSync(join(folder, 'windows.txt'), 'one\r\n');
    git('add', '.');
    const getFiles = () => readdirSync(join(folder, '.git')).sort();
    const [index, files] = [readFileSync(join(folder, '.git', 'index')), getFiles()];
    const patch = await captureChanges(() => {
      writeFileSync(join(folder, 'tracked.txt'), 'two\n');
      writeFileSync(join(folder, 'windows.txt'), 'two\r\n');
    });
    expect(patch).toContain('-one\n+two\n');
    expect(patch!.match(/^diff /gm)).toHaveLength(2);
    expect(readFileSync(join(folder, '.git', 'index')).equals(index)).toBe(true);
    expect(getFiles()).toEqual(files);
  });

  it('ignores what the settings of the repository ignore', async () => {
    git('config', 'core.excludesFile', join(folder, '.git', 'my-excludes'));
    writeFileSync(join(folder, '.git', 'my-excludes'), 'by-setting\n');
    writeFileSync(join(folder, '.git', 'info', 'exclude'), 'by-info\n');
    const patch = await captureChanges(() => {
      for (const name of ['by-setting', 'by-info', 'found']) writeFileSync(join(folder, name), 'x\n');
    });
    expect(patch!.match(/^diff .*$/gm)).toEqual(['diff --git a/found b/found']);
  });

  it('runs no program of the repository or of its submodules', async () => {
    const program = join(folder, '.git', 'program');
    const submodule = mkdtempSync(join(tmpdir(), 'submodule-'));
    cpSync(folder, submodule, { recursive: true });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', submodule, 'sub');
    git('commit', '--quiet', '-m', 'submodule');
    writeFileSync(program, `#!/bin/sh\ntouch '${folder}.ran'\ncat\n`, { mode: 0o755 });
    for (const gitFolder of [join(folder, '.git'), join(folder, '.git', 'modules', 'sub')]) {
      for (const name of ['filter.x.clean', 'filter.x.process', 'core.fsmonitor', 'diff.external', 'diff.x.textconv'])
        git(`--git-dir=${gitFolder}`, 'config', name, program);
      for (const hook of ['post-index-change', 'pre-commit']) cpSync(program, join(gitFolder, 'hooks', hook));
    }
    for (const place of [folder, join(folder, 'sub')])
      writeFileSync(join(place, '.gitattributes'), '* filter=x diff=x\n');
    const patch = await captureChanges(() => {
      writeFileSync(join(folder, 'tracked.txt'), 'two\n');
      writeFileSync(join(folder, 'sub', 'tracked.txt'), 'two\n');
    });
    expect(patch).toContain('+two');
    expect(existsSync(`${folder}.ran`)).toBe(false);
    rmSync(submodule, { recursive: true });
  });

  it('says that the repository names a work tree elsewhere', async () => {
    const other = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    git('config', 'core.worktree', other);
    for (const path of [join(folder, '.git'), folder])
      await expect(WorkTreeSnapshot.captureFolder(path)).rejects.toThrow();
    rmSync(other, { recursive: true });
  });

  it('is null outside of a work tree, without starting Git', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'no-work-tree-'));
    writeFileSync(join(outside, 'git'), `#!/bin/sh\n: > '${outside}/started'\nexit 1\n`, { mode: 0o755 });
    const { PATH } = process.env;
    process.env.PATH = outside;
    const snapshot = await WorkTreeSnapshot.captureFolder(outside).finally(() => (process.env.PATH = PATH));
    expect(snapshot).toBeNull();
    expect(existsSync(join(outside, 'started'))).toBe(false);
    rmSync(outside, { recursive: true });
  });
});

describeWith('git')('a Git that does not end', () => {
  const { PATH } = process.env;
  let programs: string;
  beforeEach(() => {
    programs = mkdtempSync(join(tmpdir(), 'slow-git-'));
    // Says where the repository is, and leaves a process that keeps the pipes open.
    const script = `#!/bin/sh\necho "$GIT_DIR" > '${programs}/folder'\nsleep 60 &\necho $! > '${programs}/pid'\nwait\n`;
    writeFileSync(join(programs, 'git'), script, { mode: 0o755 });
  });
  afterEach(() => {
    process.env.PATH = PATH;
    rmSync(programs, { recursive: true });
  });

  function isRunning(): boolean {
    const pid = Number(readFileSync(join(programs, 'pid'), 'utf8'));
    // A zombie may stay until its new parent waits for it.
    return existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  }

  /** The system ends a killed process only when that process gets the processor. */
  async function awaitEnd(): Promise<void> {
    for (let waitedMs = 0; isRunning(); waitedMs += 20) {
      if (waitedMs > 10_000) throw new Error('The process still runs.');
      await sleep(20);
    }
  }

  it('is killed at the deadline with all that it started', async () => {
    const snapshot = await WorkTreeSnapshot.captureFolder(folder);
    process.env.PATH = `${programs}${delimiter}${PATH}`;
    const startedAt = performance.now();
    await expect(snapshot!.createPatch(1_000)).rejects.toThrow('git diff-files did not end in time.');
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await awaitEnd();
    const temporaryFolder = readFileSync(join(programs, 'folder'), 'utf8').trim();
    expect(existsSync(temporaryFolder)).toBe(true);
    await snapshot!.deleteFiles();
    expect(existsSync(temporaryFolder)).toBe(false);
  });

  it('leaves no snapshot and no temporary folder', async () => {
    // Real Git until the index is read.
    const script = readFileSync(join(programs, 'git'), 'utf8').replace(
      '\n',
      `\ncase "$*" in *rev-parse*|*config*) PATH='${PATH}' exec git "$@";; esac\n`,
    );
    writeFileSync(join(programs, 'git'), script);
    process.env.PATH = `${programs}${delimiter}${PATH}`;
    await expect(WorkTreeSnapshot.captureFolder(folder, 2_000)).rejects.toThrow('did not end in time');
    await awaitEnd();
    expect(existsSync(readFileSync(join(programs, 'folder'), 'utf8').trim())).toBe(false);
  });
});

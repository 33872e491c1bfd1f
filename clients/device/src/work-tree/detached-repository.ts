import { copyFile, mkdir, readdir, realpath, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { getErrnoCode } from '../exec/command-error';
import { runGit } from './run-git';

/** Settings that decide how files are stored and which are ignored. None of them names a program. */
const COPIED_SETTINGS =
  '^(core\\.(autocrlf|eol|filemode|ignorecase|precomposeunicode|symlinks|excludesfile)|extensions\\.objectformat)$';

/** Paths of a repository, and settings of its work tree. */
interface RepositoryDescription {
  top: string;
  objects: string;
  index: string;
  info: string[];
  settings: { name: string; value: string }[];
}

export interface DetachedRepository {
  /** The root of the work tree. */
  cwd: string;
  variables: Readonly<Record<string, string>>;
}

/**
 * Creates a repository in an empty folder for the work tree that contains `folder`. It has an index and objects of its
 * own, so that the real repository stays as it is, and none of the configuration that names programs: Git runs no
 * filter, hook or other program of the repository or its submodules.
 * @throws Error outside of a work tree, without Git, or when the signal aborts
 */
export async function createDetachedRepository(
  folder: string,
  gitFolder: string,
  signal: AbortSignal,
): Promise<DetachedRepository> {
  const { top, objects, index, info, settings } = await describeRepository(folder, signal);
  // The repository's own configuration may name another work tree.
  const [firstPart] = relative(await realpath(top), await realpath(folder)).split(sep);
  if (firstPart === '..') throw new Error('The folder is outside of its work tree.');
  for (const name of ['objects/info', 'refs', 'info']) await mkdir(join(gitFolder, name), { recursive: true });
  await writeFile(join(gitFolder, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(gitFolder, 'objects', 'info', 'alternates'), `${objects}\n`);
  await writeFile(join(gitFolder, 'config'), formatConfig(settings));
  for (const path of info) await copyIfExists(path, join(gitFolder, 'info', basename(path)));
  await copyIndex(index, gitFolder);
  const variables = {
    GIT_DIR: gitFolder,
    GIT_WORK_TREE: top,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  return { cwd: top, variables };
}

async function describeRepository(folder: string, signal: AbortSignal): Promise<RepositoryDescription> {
  const names = ['objects', 'index', 'info/exclude', 'info/attributes'];
  const pathArgs = names.flatMap((name) => ['--git-path', name]);
  const output = await runGit(['rev-parse', '--show-toplevel', ...pathArgs], { cwd: folder, signal });
  const [top = '', ...paths] = output.toString().trimEnd().split('\n');
  if (!top || paths.length !== names.length) throw new Error('The folder is in no work tree.');
  const [objects = '', index = '', ...info] = paths.map((path) => resolve(folder, path));
  return { top, objects, index, info, settings: await readSettings(top, signal) };
}

async function readSettings(cwd: string, signal: AbortSignal) {
  const args = ['config', '--null', '--get-regexp', COPIED_SETTINGS];
  // Git fails also if there is no such setting.
  const output = await runGit(args, { cwd, signal }).catch(() => Buffer.alloc(0));
  const entries = output.toString().split('\0').filter(Boolean);
  return entries.map((entry) => {
    const [name = '', ...lines] = entry.split('\n');
    // A setting without a value is true.
    return { name, value: lines.length === 0 ? 'true' : lines.join('\n') };
  });
}

/** Later settings win over earlier ones, as in the output of Git. */
function formatConfig(settings: RepositoryDescription['settings']): string {
  const lines = settings.map(({ name, value }) => {
    const [section, key] = name.split('.');
    return `[${section}]\n\t${key} = "${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`;
  });
  const version = settings.some(({ name }) => name.startsWith('extensions.')) ? 1 : 0;
  return `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = false\n${lines.join('')}`;
}

/** With the repository's index, Git reads only the files that have changed since. */
async function copyIndex(index: string, gitFolder: string): Promise<void> {
  const folder = dirname(index);
  const names = await readdir(folder);
  const parts = names.filter((name) => name.startsWith('sharedindex.')).map((name) => join(folder, name));
  for (const path of [...parts, index]) await copyIfExists(path, join(gitFolder, basename(path)));
}

/** Keeps the time of the last change, by which Git recognizes files that changed right after the index was written. */
async function copyIfExists(source: string, target: string): Promise<void> {
  try {
    const { atime, mtime } = await stat(source);
    await copyFile(source, target);
    await utimes(target, atime, mtime);
  } catch (error) {
    if (getErrnoCode(error) !== 'ENOENT') throw error;
  }
}

import {
  chmodSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CliError } from '../errors.ts';

export interface TokenLogin {
  kind: 'token';
  token: string;
}

/** Tokens of a login as the user's own app. `expiresAt` is by the clock of this computer. */
export interface OAuthLogin {
  kind: 'oauth';
  clientId: string;
  clientSecret: string;
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}

export type Login = TokenLogin | OAuthLogin;

interface Contents {
  version: 1;
  /** Host of the last login. */
  currentHost: string | null;
  hosts: Record<string, Login>;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** The file of logins, which only its owner can read: `xapi/credentials.json` in the folder of configurations. */
export class CredentialFile {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env;
  }

  /** @throws CliError for a user without a home folder, who needs none as long as nobody reads the file */
  get path(): string {
    const { XDG_CONFIG_HOME } = this.#env;
    // The specification of XDG ignores relative paths.
    const configured = XDG_CONFIG_HOME?.startsWith('/') ? XDG_CONFIG_HOME : undefined;
    return join(configured ?? join(findHomeFolder(), '.config'), 'xapi', 'credentials.json');
  }

  get currentHost(): string | null {
    return this.#read().currentHost;
  }

  listHosts(): string[] {
    return Object.keys(this.#read().hosts);
  }

  findLogin(host: string): Login | undefined {
    return this.#read().hosts[host];
  }

  /** Stores a login, and makes its host the default if asked to. */
  saveLogin(host: string, login: Login, isCurrent: boolean): void {
    const contents = this.#read();
    contents.hosts[host] = login;
    if (isCurrent) contents.currentHost = host;
    this.#write(contents);
  }

  deleteLogin(host: string): void {
    const contents = this.#read();
    delete contents.hosts[host];
    if (contents.currentHost === host) contents.currentHost = Object.keys(contents.hosts)[0] ?? null;
    this.#write(contents);
  }

  #read(): Contents {
    let text: string;
    try {
      // Files that others can read are closed again, such as a copy from a backup.
      if ((statSync(this.path).mode & 0o077) !== 0) closeToOthers(this.path);
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, currentHost: null, hosts: {} };
      throw new CliError(`${this.path} can't be read: ${(error as Error).message}`, { code: 'credentials' });
    }
    try {
      const contents = JSON.parse(text) as Contents;
      const { version, hosts } = contents;
      if (version === 1 && typeof hosts === 'object' && hosts !== null && !Array.isArray(hosts)) return contents;
    } catch {
      // The parser's message could quote a token.
    }
    throw new CliError(`${this.path} is damaged.`, { code: 'credentials', hint: 'Delete it, then run: xapi login' });
  }

  /** Writes what the file contains already, so that a failure comes before a token that works once is used. */
  checkWritable(): void {
    this.#write(this.#read());
  }

  /** @throws CliError that says what to do */
  #write(contents: Contents): void {
    const { path } = this;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      replaceFile(findTarget(path), `${JSON.stringify(contents, null, 2)}\n`);
    } catch (error) {
      throw createWriteError(path, error);
    }
  }
}

/** Describes why logins can't be stored. */
export function createWriteError(path: string, error: unknown): CliError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return new CliError(`${path} can't be written (${code}).`, {
    code: 'credentials',
    hint: 'Make its folder writable, or set XDG_CONFIG_HOME to another one. In scripts, set XAPI_HOST and XAPI_TOKEN.',
  });
}

/** Replaces the file, so that a reader sees the old or the new one, also after a crash. */
function replaceFile(target: string, text: string): void {
  const unfinished = `${target}.${process.pid}`;
  try {
    writePrivateFile(unfinished, text);
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    // A file that is a mount of its own can't be replaced, and its folder may be read-only.
    if (!/^(EBUSY|EROFS|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeInPlace(target, text, error);
  }
}

function writeInPlace(target: string, text: string, reason: unknown): void {
  try {
    writePrivateFile(target, text, 'r+');
  } catch (error) {
    throw /^(ENOENT|EROFS|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '') ? reason : error;
  }
}

function writePrivateFile(path: string, text: string, flags: 'w' | 'r+' = 'w'): void {
  const file = openSync(path, flags, PRIVATE_FILE);
  try {
    writeFileSync(file, text);
    ftruncateSync(file, Buffer.byteLength(text));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Follows symbolic links, also to a file that doesn't exist yet: tools for dotfiles replace files by links. */
function findTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  let link: string;
  try {
    link = readlinkSync(path);
  } catch {
    return path;
  }
  return findTarget(resolve(dirname(path), link));
}

/** Does nothing where this user can't, such as with a secret that a container has mounted. */
function closeToOthers(path: string): void {
  try {
    chmodSync(path, PRIVATE_FILE);
  } catch (error) {
    if (!/^(EROFS|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function findHomeFolder(): string {
  try {
    const folder = homedir();
    if (folder !== '') return folder;
  } catch {
    // A user without an entry in the password file, as in many containers.
  }
  throw new CliError('There is no folder for logins, because HOME is not set.', {
    code: 'credentials',
    hint: 'Set HOME or XDG_CONFIG_HOME. In scripts, set XAPI_HOST and XAPI_TOKEN.',
  });
}

import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
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
  readonly path: string;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    // The specification of XDG ignores relative paths.
    const configured = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : undefined;
    this.path = join(configured ?? join(homedir(), '.config'), 'xapi', 'credentials.json');
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
      if ((statSync(this.path).mode & 0o077) !== 0) chmodSync(this.path, PRIVATE_FILE);
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, currentHost: null, hosts: {} };
      throw new CliError(`${this.path} can't be read: ${(error as Error).message}`, { code: 'credentials' });
    }
    try {
      const contents = JSON.parse(text) as Contents;
      if (contents.version === 1 && typeof contents.hosts === 'object') return contents;
    } catch {
      // The parser's message could quote a token.
    }
    throw new CliError(`${this.path} is damaged.`, { code: 'credentials', hint: 'Delete it, then run: xapi login' });
  }

  /** Replaces the file, so that a reader sees the old or the new one, also after a crash. */
  #write(contents: Contents): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: PRIVATE_FOLDER });
    const unfinished = `${this.path}.${process.pid}`;
    const file = openSync(unfinished, 'w', PRIVATE_FILE);
    try {
      writeSync(file, `${JSON.stringify(contents, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, this.path);
  }
}

import { ExternalApiClient } from '../index.ts';
import { CredentialFile } from './credentials/credential-file.ts';
import { findCredential, parseHost, type Credential } from './credentials/credential-source.ts';
import { CliError } from './errors.ts';
import type { Terminal } from './output/terminal.ts';
import { createObservedFetch, type ServerClock } from './observed-fetch.ts';

export interface CommandContextOptions {
  host: string | undefined;
  isVerbose: boolean;
  retryTimeoutMs: number | undefined;
  version: string;
}

/** What commands need: the terminal, the credential and the client. Nothing is opened before a command asks for it. */
export class CommandContext {
  readonly terminal: Terminal;
  readonly credentials = new CredentialFile();
  readonly version: string;
  readonly #hostOption: string | undefined;
  readonly #isVerbose: boolean;
  readonly #retryTimeoutMs: number | undefined;
  readonly #clock: ServerClock = { offsetMs: 0 };
  #credential: Credential | undefined;

  constructor(terminal: Terminal, options: CommandContextOptions) {
    this.terminal = terminal;
    this.version = options.version;
    this.#hostOption = options.host;
    this.#isVerbose = options.isVerbose;
    this.#retryTimeoutMs = options.retryTimeoutMs;
  }

  /** @throws CliError if nobody has logged in */
  get credential(): Credential {
    return (this.#credential ??= findCredential(this.credentials, this.#hostOption));
  }

  /** Host of the calls so far, for messages. */
  get knownHost(): string | undefined {
    return this.#credential?.host ?? this.findNamedHost();
  }

  /** Host that `--host` or `XAPI_HOST` names. */
  findNamedHost(): string | undefined {
    const text = this.#hostOption ?? (process.env.XAPI_HOST || undefined);
    return text === undefined ? undefined : parseHost(text);
  }

  /** Time of the service, Unix ms, by its last response: the clock of this computer may be wrong. */
  get now(): number {
    return Date.now() + this.#clock.offsetMs;
  }

  createClient(credential: Credential = this.credential): ExternalApiClient {
    this.#credential = credential;
    return new ExternalApiClient({
      baseUrl: credential.host,
      token: credential.token,
      fetch: createObservedFetch(this.terminal, this.#clock, {
        isVerbose: this.#isVerbose,
        waitsForDevices: this.#retryTimeoutMs !== undefined,
      }),
      retryTimeoutMs: this.#retryTimeoutMs,
      // A time that the user names counts alone: four repetitions are over in less than a minute.
      maxRetries: this.#retryTimeoutMs === undefined ? undefined : Infinity,
      userAgent: `xapi/${this.version}`,
    });
  }

  /** @throws CliError for a login as an app, which may not make such calls */
  requireToken(action: string): void {
    if (this.credential.kind === 'oauth')
      throw new CliError(`You are logged in as an app, and apps may not ${action}.`, {
        code: 'forbidden',
        hint: 'Log in with a personal access token: xapi login',
      });
  }
}

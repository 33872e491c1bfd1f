/** What the operating system's service manager runs. */
export interface ServiceDefinition {
  /** Absolute path of a program, and its arguments. */
  command: readonly string[];
  /** Variables that are not secret. */
  environment: Readonly<Record<string, string>>;
}

export interface ServiceStatus {
  isInstalled: boolean;
  /** Null if the manager can't be asked. */
  isRunning: boolean | null;
  pid: number | null;
  /** What the service manager says about it, such as `active (running)`. */
  detail: string;
  lastLines: string[];
}

/** Service manager of the operating system, which keeps the machine of one key file running for this user. */
export interface ServiceManager {
  /** File that describes the service to the manager. */
  readonly file: string;
  /**
   * Writes the file and starts the service, anew if it runs.
   * @returns advice for the user
   * @throws ManagerUnavailableError when the file is written but the manager doesn't answer
   */
  install(definition: ServiceDefinition): Promise<string[]>;
  readStatus(): Promise<ServiceStatus>;
  /** Stops the service and deletes its file. Returns false if there was none. */
  uninstall(): Promise<boolean>;
}

/** Thrown when there is no manager for this user, such as in a container or after `su`. */
export class ManagerUnavailableError extends Error {
  override readonly name = 'ManagerUnavailableError';
}

/** Refuses what the files of service managers can't contain. @throws Error */
export function requirePrintable(texts: readonly string[]): void {
  const bad = texts.find((text) => /\p{Cc}/u.test(text));
  if (bad !== undefined) throw new Error(`A service can't have control characters in ${JSON.stringify(bad)}.`);
}

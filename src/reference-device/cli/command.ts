import type { DeviceKind } from '../api-records';
import { AccountDevice } from '../account-device';
import { DeviceContent } from '../content/device-content';
import { defaultKeyFile, KeyFile } from '../key-file';
import { readOnly, type KeyStore } from '../key-store';
import { openDevice } from '../open-device';
import { DEFAULT_URL } from '../service-address';
import type { Terminal } from './terminal';

/** A mistake in how the program was called: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface OptionSpec {
  /** The placeholder of its value; without one it is a switch. */
  value?: string;
  help: string;
}

export interface Command {
  /** One or two words. */
  name: string;
  /** Placeholders of what stands beside the options, all required. */
  positionals: string[];
  summary: string;
  options: Record<string, OptionSpec>;
  run(call: Call): Promise<void>;
}

/** One call of a command. */
export class Call {
  constructor(
    readonly terminal: Terminal,
    private readonly values: Record<string, string | boolean | undefined>,
    private readonly positionals: string[],
  ) {}

  /** The value of an option, or undefined. */
  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  required(name: string): string {
    const value = this.text(name);
    if (!value) throw new UsageError(`--${name} is missing.`);
    return value;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  positional(index: number): string {
    return this.positionals[index] ?? '';
  }

  get json(): boolean {
    return this.flag('json');
  }

  store(kind: DeviceKind): KeyStore {
    return new KeyFile(this.text('key-file') ?? defaultKeyFile(kind));
  }

  /** Where a new device finds the service. */
  address() {
    return { url: this.text('url') ?? DEFAULT_URL, publicUrl: this.text('public-url') };
  }

  accountDevice(): Promise<AccountDevice> {
    return AccountDevice.open({ ...this.knownAddress(), store: this.store('account') });
  }

  /** What the account device may read, or the machine with `--machine`. */
  async content(): Promise<DeviceContent> {
    const kind = this.flag('machine') ? 'machine' : 'account';
    const store = this.store(kind);
    const options = { ...this.knownAddress(), store: kind === 'machine' ? readOnly(store) : store };
    return new DeviceContent(await openDevice(kind, options));
  }

  private knownAddress() {
    return { url: this.text('url'), publicUrl: this.text('public-url') };
  }
}

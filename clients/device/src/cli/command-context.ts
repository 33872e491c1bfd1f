import type { Command } from 'commander';
import { AccountDevice } from '../account-device';
import type { ClientDeviceKind } from '../api-resources';
import { DeviceContentClient } from '../content/device-content-client';
import { FileKeyStore, getDefaultKeyFilePath } from '../file-key-store';
import { createReadOnlyStore } from '../key-store';
import { openDevice } from '../open-device';
import { DEFAULT_SERVICE_URL } from '../service-address';
import type { Terminal } from './terminal';

/** Options that every command accepts. */
export interface CommonOptions {
  url?: string;
  publicUrl?: string;
  keyFile?: string;
  json?: boolean;
}

/** Option of the commands that also work with the machine device, see {@link CommandContext.openContent}. */
export const MACHINE_OPTION = ['--machine', "act as this computer's machine device, for content it hosts"] as const;

export interface MachineOption {
  machine?: boolean;
}

/** The terminal, and the devices that the common options select. Read it only inside a command's action. */
export class CommandContext {
  constructor(
    readonly terminal: Terminal,
    private readonly program: Command,
  ) {}

  /** How the user has started the program, for advice. */
  get programName(): string {
    return this.program.name();
  }

  /** Returns the command line of another command for the same key file. */
  formatCommand(command: string): string {
    const { keyFile } = this.options;
    return [this.programName, command, ...(keyFile === undefined ? [] : ['--key-file', quoteForShell(keyFile)])].join(
      ' ',
    );
  }

  get isJsonOutput(): boolean {
    return this.options.json === true;
  }

  /** Ends the command with exit code 2, for a rule that commander can't check. */
  failUsage(message: string): never {
    this.program.error(`error: ${message}`);
  }

  createKeyStore(kind: ClientDeviceKind): FileKeyStore {
    return new FileKeyStore(this.options.keyFile ?? getDefaultKeyFilePath(kind));
  }

  /** Returns the addresses of the service for a new device. */
  getNewDeviceAddress() {
    return { url: this.options.url ?? DEFAULT_SERVICE_URL, publicUrl: this.options.publicUrl };
  }

  /** Returns the addresses that the options name. An existing device knows those that it used last. */
  getAddressOptions() {
    return { url: this.options.url, publicUrl: this.options.publicUrl };
  }

  /**
   * Returns the addresses for the machine of the store. One that is new, without an address in the options, belongs to
   * the service of this user's account device.
   */
  async findMachineAddress(store: FileKeyStore) {
    const address = this.getAddressOptions();
    if (address.url !== undefined || (await store.loadState('machine'))) return address;
    return { ...address, url: await findAccountUrl() };
  }

  openAccountDevice(): Promise<AccountDevice> {
    return AccountDevice.open({ ...this.getAddressOptions(), store: this.createKeyStore('account') });
  }

  /** Opens the content of the account device, or of the machine device with `--machine`. */
  async openContent({ machine }: MachineOption): Promise<DeviceContentClient> {
    const kind = machine ? 'machine' : 'account';
    const store = this.createKeyStore(kind);
    const options = {
      ...this.getAddressOptions(),
      store: kind === 'machine' ? createReadOnlyStore(store) : store,
    };
    return new DeviceContentClient(await openDevice(kind, options));
  }

  private get options(): CommonOptions {
    return this.program.opts<CommonOptions>();
  }
}

/** A machine needs no account device here, so one that can't be read counts as missing. */
async function findAccountUrl(): Promise<string | undefined> {
  try {
    return (await new FileKeyStore(getDefaultKeyFilePath('account')).loadState('account'))?.url;
  } catch {
    return undefined;
  }
}

const quoteForShell = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

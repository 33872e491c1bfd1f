import { hostname } from 'node:os';
import type { KeyStore } from './key-store';
import type { ServiceAddress } from './service-address';

export interface NewDevice extends ServiceAddress {
  store: KeyStore;
  /** What the account's device list shows. Default: the computer's name. */
  name?: string;
  /** Default: `process.platform`. */
  platform?: string;
}

export function describeDevice({ name, platform }: Pick<NewDevice, 'name' | 'platform'>) {
  return { name: name ?? (hostname().slice(0, 100) || 'computer'), platform: platform ?? process.platform };
}

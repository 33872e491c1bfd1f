import { hostname } from 'node:os';
import { truncateText } from '@external-api/protocol';
import type { KeyStore } from './key-store';
import type { ServiceAddress } from './service-address';

export interface NewDeviceOptions extends ServiceAddress {
  store: KeyStore;
  /** Name in the account's device list. Default: the computer's name. */
  name?: string;
  /** Default: `process.platform`. */
  platform?: string;
}

export function getDeviceDescription({ name, platform }: Pick<NewDeviceOptions, 'name' | 'platform'>) {
  return { name: name ?? (truncateText(hostname(), 100) || 'computer'), platform: platform ?? process.platform };
}

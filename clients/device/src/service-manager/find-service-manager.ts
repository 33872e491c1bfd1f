import { createHash } from 'node:crypto';
import { getDefaultKeyFilePath } from '../file-key-store';
import { LaunchdManager } from './launchd-manager';
import type { ServiceManager } from './service-manager';
import { SystemdManager } from './systemd-manager';

const SERVICE_NAME = 'xapi-device';

/** Returns the manager of the service that runs the machine of this key file. @param keyFile absolute path */
export function findServiceManager(keyFile: string, platform: NodeJS.Platform = process.platform): ServiceManager {
  const isDefault = keyFile === getDefaultKeyFilePath('machine');
  const suffix = isDefault ? '' : `-${createHash('sha256').update(keyFile).digest('hex').slice(0, 8)}`;
  const name = `${SERVICE_NAME}${suffix}`;
  return platform === 'darwin' ? new LaunchdManager(name) : new SystemdManager(name);
}

import type { DeviceContent, Kept } from '../content/device-content';
import type { OptionSpec } from './command';

/** For the commands that a machine has too. */
export const AS_MACHINE: Record<string, OptionSpec> = {
  machine: { help: "as this computer's machine device, for what it hosts" },
};

export const SESSION_OR_ARTIFACT = 'SESSION|ARTIFACT';

/** A session by its id or tag, or an artifact by its id. */
export function findKept(content: DeviceContent, name: string): Promise<Kept> {
  return name.startsWith('art_') ? content.artifact(name) : content.session(name);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceContentClient } from '../content/device-content-client';
import { putArtifact } from '../content/put-artifact';
import { findDataKey } from '../device-state';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import { retryTransientErrors } from '../machine/retry';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import type { SignedInDevice } from '../signed-in-device';

const PATCH_MEDIA_TYPE = 'text/x-diff';
/** How long the end of a turn waits until its patch is stored. */
const TURN_WAIT_MS = 5_000;
/** Bytes of all patches that may wait for the service, which are in memory. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface PatchStoreDependencies {
  device: SignedInDevice;
  backoff?: BackoffOptions;
  /** Aborts when the device stops, which loses what still waits. */
  closeSignal: AbortSignal;
  onProblem: (problem: string) => void;
}

/** Stores patches of turns as artifacts, also after the end of their turns while the service can't be reached. */
export class PatchStore {
  /** Number of patches that the service doesn't have yet. */
  waitingCount = 0;
  private waitingBytes = 0;

  constructor(private readonly dependencies: PatchStoreDependencies) {}

  /**
   * Stores the patch as `<session id>/<turn id>.patch`. Resolves when it is stored, or still waits after five seconds.
   * @throws Error when it can't be stored. A later error is a problem for the machine's user
   */
  async storePatch(session: HostedAgentSession, turnId: string, bytes: Buffer): Promise<void> {
    const { onProblem } = this.dependencies;
    const controller = new AbortController();
    const path = `${session.id}/${turnId}.patch`;
    const stored = this.putPatch(session, path, bytes).finally(() => controller.abort());
    const delay = sleep(TURN_WAIT_MS, undefined, { ref: false, signal: controller.signal }).then(
      () => {
        onProblem(`The changes of ${turnId} wait until the service stores them.`);
        stored.catch((error: Error) => onProblem(`The changes of ${turnId} are not stored: ${error.message}`));
      },
      () => stored,
    );
    await Promise.race([stored, delay]);
  }

  private async putPatch(session: HostedAgentSession, tag: string, bytes: Buffer): Promise<void> {
    const { device, backoff, closeSignal } = this.dependencies;
    const { id, tag: sessionTag } = session.hosted;
    const dataKey = findDataKey(device.state, sessionTag);
    if (!dataKey) throw new Error('The data key of the session is missing.');
    if (this.waitingBytes + bytes.length > MAX_WAITING_BYTES) throw new Error('Too many others wait for the service.');
    this.waitingBytes += bytes.length;
    this.waitingCount++;
    try {
      const content = { mediaType: PATCH_MEDIA_TYPE, bytes };
      const putContent = () => putArtifact(new DeviceContentClient(device), tag, content, { id, dataKey });
      await retryTransientErrors(putContent, { backoff: new Backoff(backoff), signal: closeSignal });
    } finally {
      this.waitingBytes -= bytes.length;
      this.waitingCount--;
    }
  }
}

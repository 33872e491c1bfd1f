import { setTimeout as sleep } from 'node:timers/promises';
import type { Content } from '@external-api/protocol';
import { DeviceContentClient } from '../content/device-content-client';
import { putArtifact } from '../content/put-artifact';
import { findDataKey } from '../device-state';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import { retryTransientErrors } from '../machine/retry';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import type { SignedInDevice } from '../signed-in-device';

/** How long the end of a turn waits until what belongs to it is stored. */
const TURN_WAIT_MS = 5_000;
/** Bytes of all artifacts that may wait for the service, which are in memory. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface TurnArtifactStoreDependencies {
  device: SignedInDevice;
  backoff?: BackoffOptions;
  /** Aborts when the device stops, which loses what still waits. */
  closeSignal: AbortSignal;
  onProblem: (problem: string) => void;
}

/** What to store of a turn. */
export interface TurnArtifact extends Content {
  /**
   * Begins with `<session id>/<turn id>`, and is the same after a restart: what is stored again replaces the artifact.
   * The service reads it, so it contains nothing that the agent has written.
   */
  tag: string;
  /** Beginning of sentences for the machine's user, in the plural, such as "The changes of turn_…". */
  subject: string;
}

/** Stores artifacts of turns, also after the end of their turns while the service can't be reached. */
export class TurnArtifactStore {
  /** Number of artifacts that the service doesn't have yet. */
  waitingCount = 0;
  private waitingBytes = 0;

  constructor(private readonly dependencies: TurnArtifactStoreDependencies) {}

  /**
   * Encrypts and stores an artifact of a turn. Resolves when it is stored, or still waits after five seconds.
   * @throws Error when it can't be stored. A later error is a problem for the machine's user
   */
  async storeArtifact(session: HostedAgentSession, artifact: TurnArtifact): Promise<void> {
    const { onProblem } = this.dependencies;
    const { subject } = artifact;
    const controller = new AbortController();
    const stored = this.putWaiting(session, artifact).finally(() => controller.abort());
    const delay = sleep(TURN_WAIT_MS, undefined, { ref: false, signal: controller.signal }).then(
      () => {
        onProblem(`${subject} wait until the service stores them.`);
        stored.catch((error: Error) => onProblem(`${subject} are not stored: ${error.message}`));
      },
      () => stored,
    );
    await Promise.race([stored, delay]);
  }

  private async putWaiting(session: HostedAgentSession, { tag, mediaType, bytes }: TurnArtifact): Promise<void> {
    const { device, backoff, closeSignal } = this.dependencies;
    const { id, tag: sessionTag } = session.hosted;
    const dataKey = findDataKey(device.state, sessionTag);
    if (!dataKey) throw new Error('The data key of the session is missing.');
    if (this.waitingBytes + bytes.length > MAX_WAITING_BYTES) throw new Error('Too many others wait for the service.');
    this.waitingBytes += bytes.length;
    this.waitingCount++;
    try {
      const content = { mediaType, bytes };
      const putContent = () => putArtifact(new DeviceContentClient(device), tag, content, { id, dataKey });
      await retryTransientErrors(putContent, { backoff: new Backoff(backoff), signal: closeSignal });
    } finally {
      this.waitingBytes -= bytes.length;
      this.waitingCount--;
    }
  }
}

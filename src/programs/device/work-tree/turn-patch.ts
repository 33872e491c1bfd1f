import { DeviceContentClient } from '../content/device-content-client';
import { putArtifact } from '../content/put-artifact';
import { findDataKey } from '../device-state';
import { Backoff } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { retryTransientErrors } from '../machine/retry';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import type { SignedInDevice } from '../signed-in-device';
import { WorkTreeSnapshot } from './work-tree-snapshot';

const PATCH_MEDIA_TYPE = 'text/x-diff';
/** How long the end of a turn waits for the artifact. */
const STORE_TIMEOUT_MS = 5_000;

export interface TurnPatchDependencies {
  device: SignedInDevice;
  capabilities: CapabilityNegotiation;
  onProblem: (problem: string) => void;
}

/** Stores what changed in the session's Git work tree during a turn as an artifact. */
export class TurnPatch {
  private constructor(
    private readonly snapshot: WorkTreeSnapshot,
    private readonly session: HostedAgentSession,
    private readonly dependencies: TurnPatchDependencies,
  ) {}

  /** Captures the work tree before the prompt. Returns null where there is none, and for an older service. */
  static async beginTurn(session: HostedAgentSession, dependencies: TurnPatchDependencies): Promise<TurnPatch | null> {
    if (!dependencies.capabilities.areTurnsAccepted) return null;
    const snapshot = await WorkTreeSnapshot.captureFolder(session.cwd);
    return snapshot && new TurnPatch(snapshot, session, dependencies);
  }

  /** Stores the changes as `<session id>/<turn id>.patch`. Never rejects: the turn ends also without the artifact. */
  async storeChanges(turnId: string): Promise<void> {
    try {
      const patch = await this.snapshot.createPatch();
      if (patch) await this.putPatch(`${this.session.id}/${turnId}.patch`, patch);
    } catch (error) {
      this.dependencies.onProblem(`The changes of ${turnId} are not stored: ${(error as Error).message}`);
    } finally {
      await this.discardSnapshot();
    }
  }

  /** Ends without an artifact. Never rejects. */
  async discardSnapshot(): Promise<void> {
    await this.snapshot.deleteFiles().catch((error: Error) => this.dependencies.onProblem(error.message));
  }

  private async putPatch(tag: string, bytes: Buffer): Promise<void> {
    const { device } = this.dependencies;
    const { id, tag: sessionTag } = this.session.hosted;
    const dataKey = findDataKey(device.state, sessionTag);
    if (!dataKey) throw new Error('The data key of the session is missing.');
    const content = { mediaType: PATCH_MEDIA_TYPE, bytes };
    const putContent = () => putArtifact(new DeviceContentClient(device), tag, content, { id, dataKey });
    const signal = AbortSignal.timeout(STORE_TIMEOUT_MS);
    const stored = retryTransientErrors(putContent, { backoff: new Backoff(), signal });
    // The signal does not end a request that the service leaves open.
    const timeout = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('The service did not store them in time.'))),
    );
    await Promise.race([stored, timeout]);
  }
}

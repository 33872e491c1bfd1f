import type { TurnArtifactStore } from '../artifacts/turn-artifact-store';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import { WorkTreeSnapshot } from './work-tree-snapshot';

const PATCH_MEDIA_TYPE = 'text/x-diff';

export interface TurnPatchDependencies {
  artifactStore: TurnArtifactStore;
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

  /**
   * Captures the work tree before the prompt. Returns null where there is none, and for an older service. A turn of an
   * earlier run may begin before the first connection, and then waits for it: until then, each service counts as older.
   * @param tellReader is told why the changes of the turn will be missing
   * @param signal ends the wait
   */
  static async beginTurn(
    session: HostedAgentSession,
    dependencies: TurnPatchDependencies,
    tellReader: (notice: string) => void,
    signal?: AbortSignal,
  ): Promise<TurnPatch | null> {
    await dependencies.capabilities.waitForHello(signal);
    if (!dependencies.capabilities.areTurnsAccepted) return null;
    try {
      const snapshot = await WorkTreeSnapshot.captureFolder(await session.resolveFolder());
      return snapshot && new TurnPatch(snapshot, session, dependencies);
    } catch (error) {
      const problem = `The changes of ${session.cwd} are not captured: ${(error as Error).message}`;
      dependencies.onProblem(problem);
      tellReader(problem);
      return null;
    }
  }

  /**
   * Has the changes stored. Never rejects: the turn ends also without the artifact.
   * @param tellReader is told why the changes are missing
   */
  async storeChanges(turnId: string, tellReader: (notice: string) => void): Promise<void> {
    const { artifactStore, onProblem } = this.dependencies;
    const subject = `The changes of ${turnId}`;
    try {
      const bytes = await this.snapshot.createPatch();
      const artifact = { tag: `${this.session.id}/${turnId}.patch`, mediaType: PATCH_MEDIA_TYPE, subject };
      if (bytes) await artifactStore.storeArtifact(this.session, { ...artifact, bytes });
    } catch (error) {
      const problem = `${subject} are not stored: ${(error as Error).message}`;
      onProblem(problem);
      tellReader(problem);
    } finally {
      await this.discardSnapshot();
    }
  }

  /** Ends without an artifact. Never rejects. */
  async discardSnapshot(): Promise<void> {
    await this.snapshot.deleteFiles().catch((error: Error) => this.dependencies.onProblem(error.message));
  }
}

import { createHash } from 'node:crypto';
import type { AgentFile } from '../agent/agent-file';
import type { AttachedFile } from '../attachments/attached-file';
import type { HostedAgentSession } from '../sessions/hosted-agent-session';
import { detectFileType } from './file-type';
import type { TurnArtifactStore } from './turn-artifact-store';

const MAX_TURN_FILES = 64;
const MAX_FILE_BYTES = 6_000_000;

export interface TurnFilesDependencies {
  artifactStore: TurnArtifactStore;
  onProblem: (problem: string) => void;
}

/** Stores the files of one turn as artifacts of the session: those of its message, and those that the agent sends. */
export class TurnFiles {
  /** Tags by the digest of the bytes: agents repeat the content of a tool call in each of its updates. */
  private readonly tags = new Map<string, string>();
  private readonly pendingFiles: Promise<void>[] = [];
  private readonly failures = new Set<string>();

  constructor(
    private readonly turnId: string,
    private readonly session: HostedAgentSession,
    private readonly dependencies: TurnFilesDependencies,
  ) {}

  /** Begins to store a file. Returns a link to the artifact for the message, or a sentence why there is none. */
  addFile({ name, bytes }: AgentFile): string {
    const { mediaType, extension } = detectFileType(bytes);
    const displayedName = name || `file${extension}`;
    if (bytes.length > MAX_FILE_BYTES)
      return `[${displayedName} is missing here: it has ${bytes.length} bytes, and may have ${MAX_FILE_BYTES}.]`;
    const digest = createHash('sha256').update(bytes).digest('base64');
    const known = this.tags.get(digest);
    if (known === undefined && this.tags.size >= MAX_TURN_FILES)
      return `[${displayedName} is missing here: a turn may have ${MAX_TURN_FILES} files.]`;
    const tag = known ?? `${this.session.id}/${this.turnId}/${this.tags.size + 1}${extension}`;
    if (known === undefined) this.storeFile(tag, mediaType, bytes);
    this.tags.set(digest, tag);
    return `[${displayedName}](artifact:${tag})`;
  }

  /** Stores files of the message that aren't artifacts yet. Resolves as {@link finishStoring}. */
  async storeAttachments(files: readonly AttachedFile[]): Promise<void> {
    for (const { tag, mediaType, bytes, isStored } of files) if (!isStored) this.storeFile(tag, mediaType, bytes);
    await Promise.all(this.pendingFiles);
  }

  /**
   * Waits until the files are stored, or still wait after a few seconds. Never rejects.
   * @param tellReader is told why files are missing
   */
  async finishStoring(tellReader: (notice: string) => void): Promise<void> {
    await Promise.all(this.pendingFiles);
    for (const failure of this.failures) tellReader(failure);
  }

  private storeFile(tag: string, mediaType: string, bytes: Buffer): void {
    const { artifactStore, onProblem } = this.dependencies;
    const subject = `Files of ${this.turnId}`;
    const stored = artifactStore.storeArtifact(this.session, { tag, mediaType, bytes, subject });
    const settled = stored.catch((error: Error) => {
      const failure = `${subject} are not stored: ${error.message}`;
      onProblem(failure);
      this.failures.add(failure);
    });
    this.pendingFiles.push(settled);
  }
}

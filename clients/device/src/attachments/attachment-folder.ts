import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../private-file';
import { hashId } from '../private-folder';
import type { AttachedFile, TurnOfFile } from './attached-file';

/** Files for agents that read them from the disk: a folder for each session, which only its owner can read. */
export class AttachmentFolder {
  /** @param isTemporary whether {@link close} deletes the folder */
  constructor(
    private readonly folder: string,
    private readonly isTemporary = false,
  ) {}

  /**
   * Writes a file, also again after a restart. Returns its path.
   * @param n number among the attachments of the message, from 1
   * @throws Error such as ENOSPC
   */
  async saveFile(turn: TurnOfFile, n: number, { name, bytes }: Pick<AttachedFile, 'name' | 'bytes'>): Promise<string> {
    const path = join(this.getSessionFolder(turn.sessionId), hashId(turn.id), `${n}-${name}`);
    await writePrivateFile(path, bytes);
    return path;
  }

  async deleteFiles(sessionId: string): Promise<void> {
    await rm(this.getSessionFolder(sessionId), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    if (this.isTemporary) await rm(this.folder, { recursive: true, force: true });
  }

  private getSessionFolder(sessionId: string): string {
    return join(this.folder, hashId(sessionId));
  }
}

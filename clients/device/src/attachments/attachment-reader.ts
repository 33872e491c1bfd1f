import type { AttachmentParams } from '@external-api/protocol';
import { toFileName } from '../artifacts/file-name';
import { detectFileType } from '../artifacts/file-type';
import { isTransient } from '../client-errors';
import { DeviceContentClient } from '../content/device-content-client';
import { CommandError } from '../exec/command-error';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import { DEVICE_STOPPING } from '../machine/relay-request-handler';
import { retryTransientErrors } from '../machine/retry';
import type { SignedInDevice } from '../signed-in-device';
import { waitUnlessAborted } from '../time-limit';
import { createAttachedFile, type AttachedFile, type TurnOfFile } from './attached-file';
import type { TurnAttachment } from './turn-prompt';

export interface AttachmentReaderDependencies {
  device: SignedInDevice;
  backoff?: BackoffOptions;
}

/** Reads the files that come with messages (docs/protocol/relay.md#attachments). */
export class AttachmentReader {
  constructor(private readonly dependencies: AttachmentReaderDependencies) {}

  /**
   * Returns what the journal keeps of the attachments of a call.
   * @throws CommandError `attachment_unsupported` for an artifact that this device can't read; `busy` if the service
   *   can't be reached; `cancelled`
   */
  async readParams(
    attachments: readonly AttachmentParams[] = [],
    signal = new AbortController().signal,
  ): Promise<TurnAttachment[]> {
    const read: TurnAttachment[] = [];
    for (const attachment of attachments) read.push(await this.readAttachment(attachment, signal));
    return read;
  }

  /**
   * Returns the files when their turn begins. Waits for the service if they are artifacts.
   * @throws CommandError `attachment_unsupported`; AbortError
   */
  async loadFiles(
    turn: TurnOfFile,
    attachments: readonly TurnAttachment[],
    signal: AbortSignal,
  ): Promise<AttachedFile[]> {
    const files: AttachedFile[] = [];
    for (const [index, attachment] of attachments.entries()) {
      if ('data' in attachment) files.push(createAttachedFile(turn, index + 1, attachment));
      else files.push(await this.loadArtifact(attachment, signal));
    }
    return files;
  }

  private async readAttachment(attachment: AttachmentParams, signal: AbortSignal): Promise<TurnAttachment> {
    if ('data' in attachment) return { name: toFileName(attachment.name), data: attachment.data };
    if ('sealedContent' in attachment)
      throw new CommandError('invalid_content', 'An attachment is sealed and its message is not.');
    const { artifactId } = attachment;
    const { tag } = await this.getArtifact(artifactId, signal).catch((error: unknown) => {
      // What a machine that stops has not begun may be sent again.
      const code = signal.reason === DEVICE_STOPPING ? 'busy' : 'cancelled';
      if (signal.aborted) throw new CommandError(code, 'The call was cancelled before its files were read.');
      throw isTransient(error)
        ? new CommandError('busy', `The artifact ${artifactId} can't be read now.`)
        : toUnsupportedError(artifactId, error);
    });
    return { name: toFileName(tag) || 'file', artifactId, tag };
  }

  private async loadArtifact(
    { name, artifactId }: Extract<TurnAttachment, { artifactId: string }>,
    signal: AbortSignal,
  ): Promise<AttachedFile> {
    const load = () => this.getArtifact(artifactId, signal);
    const backoff = new Backoff(this.dependencies.backoff);
    const { tag, bytes } = await retryTransientErrors(load, { backoff, signal }).catch((error: unknown) => {
      throw signal.aborted ? error : toUnsupportedError(artifactId, error);
    });
    return { name, tag, mediaType: detectFileType(bytes).mediaType, bytes, isStored: true };
  }

  /** @throws the reason of the signal as soon as it aborts, also if the service doesn't answer */
  private getArtifact(artifactId: string, signal: AbortSignal) {
    return waitUnlessAborted(this.readArtifact(artifactId), signal, () => {
      throw signal.reason;
    });
  }

  private async readArtifact(artifactId: string) {
    const content = new DeviceContentClient(this.dependencies.device);
    const artifact = await content.getArtifact(artifactId);
    const { bytes } = await content.readArtifact(artifact);
    return { tag: artifact.tag, bytes: Buffer.from(bytes) };
  }
}

const toUnsupportedError = (artifactId: string, error: unknown): CommandError =>
  new CommandError(
    'attachment_unsupported',
    `The machine can't read the artifact ${artifactId}: ${(error as Error).message}`,
  );

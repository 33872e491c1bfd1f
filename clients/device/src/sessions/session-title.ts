import { buildMetadataBinding, openContent, sealContent } from '@external-api/protocol';
import type { DataEnvelope, SessionResource } from '../api-resources';
import { ApiResponseError } from '../client-errors';
import type { HostedSession } from '../history/session-history';
import { Backoff, type BackoffOptions } from '../machine/backoff';
import type { CapabilityNegotiation } from '../machine/capability-negotiation';
import { retryTransientErrors } from '../machine/retry';
import type { SignedInDevice } from '../signed-in-device';
import { runWithTimeLimit } from '../time-limit';
import { isJsonObject, type JsonObject } from '../untrusted-values';
import { toAgentTitle, toMessageTitle } from './title-text';

/** Each change is an event, so that an agent must not cause as many as it likes. */
const MIN_INTERVAL_MS = 10_000;
/** How long a title is tried to be written. */
const WRITE_TIMEOUT_MS = 60_000;
/** Other devices may change the metadata at the same time. */
const MAX_CONFLICTS = 3;

export interface SessionTitleDependencies {
  device: SignedInDevice;
  capabilities: CapabilityNegotiation;
  backoff?: BackoffOptions;
  onProblem: (problem: string) => void;
}

interface NewTitle {
  text: string;
  /** A message gives a session its first title only. */
  isFirst: boolean;
}

/**
 * Keeps the title in a session's encrypted metadata. There, `autoTitle` is what this device has written: a session
 * whose `title` is another one was renamed by a person, and keeps it.
 */
export class SessionTitle {
  private next: NewTitle | undefined;
  private isWriting = false;
  private lastWrite: Promise<void> = Promise.resolve();
  private throttle: NodeJS.Timeout | undefined;
  private readonly closeController = new AbortController();

  /** @param onWritten called when the session has a title, or can't be given one */
  constructor(
    private readonly session: HostedSession,
    private readonly dependencies: SessionTitleDependencies,
    private readonly onWritten: () => Promise<void>,
  ) {}

  /** Gives the session its first title. Does nothing for a blank message. */
  nameByMessage(message: string): void {
    const text = toMessageTitle(message);
    if (text !== '') this.write({ text, isFirst: true });
  }

  /** Replaces a title that nobody has chosen. Does nothing for a blank title. */
  nameByAgent(title: string): void {
    const text = toAgentTitle(title);
    if (text !== '') this.write({ text, isFirst: false });
  }

  /** Writes the last title, and no more. Resolves when it is written, or can't be at the first attempt. */
  async close(): Promise<void> {
    this.closeController.abort();
    clearTimeout(this.throttle);
    await this.lastWrite;
    const { next } = this;
    this.next = undefined;
    if (next) await this.replaceTitle(next).catch((error: Error) => this.reportProblem(error));
  }

  private get isClosed(): boolean {
    return this.closeController.signal.aborted;
  }

  private write(title: NewTitle): void {
    // A later message is not the first one, and must not replace what the agent calls the session.
    if (this.isClosed || (title.isFirst && this.next)) return;
    this.next = title;
    if (!this.isWriting) this.writeNext();
  }

  private writeNext(): void {
    const title = this.next;
    this.next = undefined;
    this.isWriting = title !== undefined;
    if (!title) return;
    this.lastWrite = this.writeTitle(title).catch((error: Error) => {
      if (!this.isClosed) this.reportProblem(error);
      // Instead of its next attempt, it is written by close().
      else if (!this.next || this.next.isFirst) this.next = title;
    });
    void this.lastWrite.then(() => {
      if (!this.isClosed) this.throttle = setTimeout(() => this.writeNext(), MIN_INTERVAL_MS).unref();
    });
  }

  private writeTitle(title: NewTitle): Promise<void> {
    return runWithTimeLimit(WRITE_TIMEOUT_MS, this.closeController.signal, (signal) => this.retryWrite(title, signal));
  }

  private async retryWrite(title: NewTitle, signal: AbortSignal): Promise<void> {
    const { capabilities, backoff: backoffOptions } = this.dependencies;
    const backoff = new Backoff(backoffOptions);
    await capabilities.waitForHello(signal);
    // Before turns, metadata was written at creation only.
    if (!capabilities.areTurnsAccepted) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await retryTransientErrors(() => this.replaceTitle(title), { backoff, signal });
        return await this.onWritten();
      } catch (error) {
        const isConflict = error instanceof ApiResponseError && error.code === 'conflict';
        if (!isConflict || attempt >= MAX_CONFLICTS) throw error;
      }
    }
  }

  private async replaceTitle({ text, isFirst }: NewTitle): Promise<void> {
    const { device } = this.dependencies;
    const path = `/v1/sessions/${encodeURIComponent(this.session.id)}`;
    const { data } = await device.callApi<DataEnvelope<SessionResource>>('GET', path);
    const metadata = await this.openMetadata(data);
    const { title, autoTitle, name } = metadata;
    const isUnnamed = title === undefined || title === this.session.tag || title === name;
    const isReplaceable = isUnnamed || (!isFirst && title === autoTitle);
    if (!isReplaceable || title === text) return;
    const version = data.version + 1;
    const changed = await this.sealMetadata({ ...metadata, title: text, autoTitle: text }, version);
    await device.callApi('PATCH', path, { metadata: changed, expectedVersion: data.version });
  }

  /** @throws ContentError when somebody has modified the metadata */
  private async openMetadata({ metadata, version }: SessionResource): Promise<JsonObject> {
    if (metadata === null) return {};
    const { bytes } = await openContent(metadata, this.session.dataKey, this.createBinding(version));
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isJsonObject(value) ? value : {};
  }

  private sealMetadata(metadata: JsonObject, version: number): Promise<string> {
    const content = { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(metadata)) };
    return sealContent(content, this.session.dataKey, this.createBinding(version));
  }

  private reportProblem(error: Error): void {
    this.dependencies.onProblem(`The title of a session can't be written: ${error.message}`);
  }

  private createBinding(version: number) {
    return buildMetadataBinding(this.session.accountId, this.session.tag, version);
  }
}

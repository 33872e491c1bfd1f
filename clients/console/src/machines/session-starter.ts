import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { SessionOpener } from '../content/content-opener';
import type { MachineRecord, SessionRecord } from '../content/records';
import { RepeatableCall } from '../content/relayed-call';
import { sealMessage, type SealedMessage } from '../content/sealed-message';
import { renameSession } from '../sessions/session-title';

/** What a new session begins with. Members that are undefined are up to the machine. */
export interface SessionRequest {
  agent: string | undefined;
  cwd: string | undefined;
  mode: string | undefined;
  options: Record<string, string>;
  title: string | undefined;
  text: string | undefined;
  files: readonly File[];
}

/** Whether the first message can be encrypted: the session's key exists after its start only. */
export const canSealMessages = ({ capabilities }: MachineRecord, keys: AccountKeys | null): boolean =>
  keys !== null && capabilities.includes('session.sealed');

/** Session that has been started, and what is left to do. */
interface StartedSession {
  request: string;
  id: string;
  opener: SessionOpener | null;
  /** The first message as it was encrypted once, for a repetition. */
  message: { key: string; body: SealedMessage } | null;
}

/**
 * Starts a session, names it, and sends its first message, which this browser encrypts where the machine can read that.
 * After a failure, `start` goes on where it stopped, unless the user has changed what is asked for.
 */
export class SessionStarter {
  private readonly startCall = new RepeatableCall();
  private readonly messageCall = new RepeatableCall();
  private started: StartedSession | null = null;

  constructor(
    private readonly api: AccountApi,
    private readonly keys: AccountKeys | null,
  ) {}

  /** Returns the ID of the session. @throws ServiceError, UnreachableError; ContentError */
  async start(machine: MachineRecord, { title, text, files, options, ...place }: SessionRequest): Promise<string> {
    const isSealed = canSealMessages(machine, this.keys);
    const body = {
      ...place,
      ...(Object.keys(options).length > 0 && { options }),
      ...(text && !isSealed && { content: text, waitMs: 0 }),
    };
    const session = await this.startOnce(`/v1/control/machines/${machine.id}/sessions`, body);
    const needsKey = title !== undefined || (text !== undefined && isSealed);
    if (this.keys && needsKey) session.opener ??= await this.openSession(this.keys, session.id);
    if (session.opener && title) await renameSession(this.api, session.opener, session.id, title);
    if (session.opener && text && isSealed) {
      const key = JSON.stringify([text, files.map(({ name, size, lastModified }) => [name, size, lastModified])]);
      if (session.message?.key !== key) {
        session.message = { key, body: await sealMessage(session.opener, text, files) };
      }
      await this.messageCall.post(this.api, `/v1/control/sessions/${session.id}/messages`, session.message.body);
    }
    return session.id;
  }

  private async startOnce(path: string, body: object): Promise<StartedSession> {
    const request = JSON.stringify([path, body]);
    if (this.started?.request !== request) {
      const { result } = await this.startCall.post<{ result: { sessionId: string } }>(this.api, path, body);
      this.started = { request, id: result.sessionId, opener: null, message: null };
    }
    return this.started;
  }

  private async openSession(keys: AccountKeys, id: string): Promise<SessionOpener> {
    return SessionOpener.forSession(keys, await this.api.getRecord<SessionRecord>(`/v1/sessions/${id}`));
  }
}

import { QUESTION_MEDIA_TYPE, type QuestionContent } from '@external-api/protocol/portable';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { SessionOpener } from '../content/content-opener';
import type { PermissionRecord, SessionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';
import { getSessionTitle } from '../sessions/session-title';
import { ApprovalDecision, hashCiphertext } from './approval-decisions';
import { readPermissionQuestion, readQuestionContent, type PermissionQuestion } from './permission-question';

/** Session of a permission request, as far as it can be read. */
export interface ApprovalSession {
  title: string;
  machineId: string | null;
  /** Null if this browser can't decrypt the session's content. */
  opener: SessionOpener | null;
}

/** A permission request with what its agent asks. */
export interface Approval {
  record: PermissionRecord;
  session: ApprovalSession;
  /** What a tool would do. Null with `form`, and if nobody can be shown what is asked and may decide therefore. */
  question: PermissionQuestion | null;
  /** What an agent wants to know, if it asks with a form. */
  form: QuestionContent | null;
  /** Hash of the ciphertext that these were read from. */
  contentHash: string;
  /** Why there is neither. */
  problem: string;
  /** What the person decides on this page. */
  decision: ApprovalDecision;
  /** When this page has read that it was decided, in Unix ms. */
  decidedSeenAt?: number;
}

/** Reads sessions once, for all of their permission requests. */
export class ApprovalSessionReader {
  private readonly sessions = new Map<string, Promise<ApprovalSession>>();

  constructor(
    private readonly api: AccountApi,
    private readonly keys: AccountKeys | null,
  ) {}

  readSession(id: string): Promise<ApprovalSession> {
    const known = this.sessions.get(id);
    if (known) return known;
    const reading = this.fetchSession(id);
    this.sessions.set(id, reading);
    reading.catch(() => this.sessions.delete(id));
    return reading;
  }

  private async fetchSession(id: string): Promise<ApprovalSession> {
    try {
      const session = await this.api.getRecord<SessionRecord>(`/v1/sessions/${id}`);
      return await openApprovalSession(session, this.keys);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return { title: id, machineId: null, opener: null };
      throw error;
    }
  }
}

async function openApprovalSession(session: SessionRecord, keys: AccountKeys | null): Promise<ApprovalSession> {
  const opener = keys && (await SessionOpener.forSession(keys, session).catch(() => null));
  const metadata = opener && (await opener.openMetadata(session).catch(() => null));
  return { title: getSessionTitle(session, metadata), machineId: session.machineId, opener };
}

/** Decrypts what is asked. A request that can't be decrypted is shown without its content. */
export async function openApproval(record: PermissionRecord, session: ApprovalSession): Promise<Approval> {
  const decision = new ApprovalDecision();
  const unopened = { record, session, question: null, form: null, contentHash: '', problem: '', decision };
  const closed = (problem: string): Approval => ({ ...unopened, problem });
  if (record.content === null) return closed('The content of this request has been deleted.');
  if (!session.opener) return closed('This browser has no key for the session, so it can’t show what is asked.');
  try {
    const { bytes, mediaType } = await session.opener.openPermissionRequest(record, record.content);
    const contentHash = await hashCiphertext(record.content);
    return mediaType === QUESTION_MEDIA_TYPE
      ? { ...unopened, form: readQuestionContent(bytes), contentHash }
      : { ...unopened, question: readPermissionQuestion(bytes), contentHash };
  } catch {
    return closed('The content of this request can’t be decrypted: it is damaged, or it was meant for another place.');
  }
}

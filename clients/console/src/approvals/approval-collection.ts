import { useEffect, useRef, useState } from 'preact/hooks';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import { CoalescedRefresh } from '../content/coalesced-refresh';
import { getExpiryDelay } from '../content/expiry-delay';
import type { PermissionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';
import { openApproval, type Approval, type ApprovalSession } from './open-approval';

/** The page doesn't read the list more often while no event says that it has changed. */
const MIN_CHANGE_DELAY_MS = 2_000;
/** Time after which nobody but the machine has decided: the service stores a call's decider with the call's answer. */
const DECIDER_DELAY_MS = 10_000;

interface ApprovalSource {
  api: AccountApi;
  /** List of permission requests with ciphertext. */
  path: string;
  readSession: (sessionId: string) => Promise<ApprovalSession>;
  /** Changes when there may be other requests. */
  changeCount: number;
}

interface ApprovalCollection {
  approvals: Approval[];
  isLoading: boolean;
  problem: string;
}

/**
 * Loads the pending permission requests, the soonest to expire first. Those that are decided meanwhile stay at their
 * place with their new state, and new ones follow at the end: a button never moves away under the pointer.
 */
export function useApprovals({ api, path, readSession, changeCount }: ApprovalSource): ApprovalCollection {
  const [approvals, setApprovals] = useState<Approval[]>([]);
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState('');
  const shown = useRef<Approval[]>([]);
  const refresh = useRef<CoalescedRefresh>(null);

  useEffect(() => {
    const readApprovals = async (): Promise<void> => {
      const records = await api.getAll<PermissionRecord>(path, { state: 'pending', limit: 200 });
      const updated = await Promise.all(shown.current.map((each) => updateApproval(api, each, records)));
      const added = records.filter(({ id }) => !shown.current.some(({ record }) => record.id === id));
      const opened = await Promise.all(
        added.map(async (record) => openApproval(record, await readSession(record.sessionId))),
      );
      shown.current = [...updated, ...opened.sort((a, b) => a.record.expiresAt - b.record.expiresAt)];
      setApprovals(shown.current);
      setProblem('');
      setLoading(false);
    };
    shown.current = [];
    refresh.current = new CoalescedRefresh(readApprovals, (error) => {
      setProblem(formatProblem(error));
      setLoading(false);
    });
    refresh.current.scheduleRefresh(0);
    return () => refresh.current?.stop();
  }, [path]);

  useEffect(() => {
    if (changeCount > 0) refresh.current?.scheduleRefresh();
  }, [changeCount]);

  useEffect(() => {
    const delayMs = Math.max(Math.min(...approvals.map(getChangeDelay)), MIN_CHANGE_DELAY_MS);
    if (delayMs === Infinity) return;
    const timer = setTimeout(() => refresh.current?.scheduleRefresh(), delayMs);
    return () => clearTimeout(timer);
  }, [approvals]);

  return { approvals, isLoading, problem };
}

/** Returns after how many ms the request may have changed without an event. */
function getChangeDelay({ record }: Approval): number {
  if (record.state === 'pending') return getExpiryDelay(record);
  return record.decidedBy === undefined ? 0 : Infinity;
}

/**
 * Returns the request with its present state. Its content never changes. The machine's own report of a decision may
 * arrive before its answer to the call that has decided. The decider follows then without an event, so the request is
 * read again.
 */
export async function updateApproval(
  api: Pick<AccountApi, 'getRecord'>,
  approval: Approval,
  pending: readonly PermissionRecord[],
): Promise<Approval> {
  const { record, decidedSeenAt = Date.now() } = approval;
  const isPending = record.state === 'pending' && pending.some(({ id }) => id === record.id);
  const isFinal = record.state !== 'pending' && record.decidedBy !== undefined;
  if (isPending || isFinal) return approval;
  try {
    const path = `/v1/control/sessions/${record.sessionId}/permission-requests/${record.id}`;
    const { state, decidedBy, decidedAt } = await api.getRecord<PermissionRecord>(path);
    const mayFollow = (state === 'allowed' || state === 'rejected') && Date.now() < decidedSeenAt + DECIDER_DELAY_MS;
    const decider = decidedBy ?? (mayFollow ? undefined : null);
    return { ...approval, decidedSeenAt, record: { ...record, state, decidedBy: decider, decidedAt } };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    return { ...approval, record: { ...record, state: 'cancelled' } };
  }
}

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApprovalCard } from '../approvals/approval-card';
import { useApprovals } from '../approvals/approval-collection';
import { FinalState } from '../approvals/decision-status';
import type { Approval } from '../approvals/open-approval';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import type { SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';

interface SessionApprovalsSource {
  api: AccountApi;
  /** Null if this browser can't decrypt the session's content: nobody can decide then. */
  opener: SessionOpener | null;
  session: Pick<SessionRecord, 'id' | 'tag' | 'machineId'>;
  /** Grows with each event `permission.*` and `turn.*` of the session, and when some may have been missed. */
  changeCount: number;
}

export interface SessionApprovals {
  /** Pending ones, and decided ones until none is pending: no button moves while somebody may be about to press it. */
  open: readonly Approval[];
  /** Approvals that were decided since the page was opened. */
  decided: readonly Approval[];
  isLoading: boolean;
  problem: string;
  onDecided: () => void;
}

/** Permission requests of one session. */
export function useSessionApprovals({ api, opener, session, changeCount }: SessionApprovalsSource): SessionApprovals {
  const [decisionCount, setDecisionCount] = useState(0);
  const { approvals, isLoading, problem } = useApprovals({
    api,
    path: `/v1/sessions/${session.id}/permission-requests`,
    readSession: () => Promise.resolve({ title: session.tag, machineId: session.machineId, opener }),
    changeCount: changeCount + decisionCount,
  });
  const foldedIds = useRef(new Set<string>());
  // The event of somebody else's decision may arrive before the answer to this page's own.
  if (approvals.every(({ record, decision }) => record.state !== 'pending' && !decision.isSending))
    for (const { record } of approvals) foldedIds.current.add(record.id);
  return {
    open: approvals.filter(({ record }) => !foldedIds.current.has(record.id)),
    decided: approvals.filter(({ record }) => foldedIds.current.has(record.id)),
    isLoading,
    problem,
    onDecided: () => setDecisionCount((count) => count + 1),
  };
}

/** What the agent asks at present, at the end of the messages. */
export function OpenApprovals({ api, approvals }: { api: AccountApi; approvals: SessionApprovals }) {
  const { open, isLoading, problem, onDecided } = approvals;
  const section = useRef<HTMLElement>(null);
  const shownCount = useRef(0);
  // The focus was on a button that is gone.
  useLayoutEffect(() => {
    if (open.length < shownCount.current && document.activeElement === document.body)
      section.current?.closest<HTMLElement>('.messages')?.focus({ preventScroll: true });
    shownCount.current = open.length;
  }, [open.length]);
  return (
    <section class="approvals" aria-label="Pending approvals" aria-busy={isLoading} ref={section}>
      <Problem text={problem} />
      {open.map((approval) => (
        <ApprovalCard
          key={approval.record.id}
          api={api}
          approval={approval}
          machineNames={null}
          onDecided={onDecided}
        />
      ))}
    </section>
  );
}

/** A decided request in one line, which unfolds: by itself if the person has decided otherwise, and it didn't count. */
export function DecidedRequest({ api, approval }: { api: AccountApi; approval: Approval }) {
  const { record, question, form, decision } = approval;
  const [isOpen, setOpen] = useState(decision.isRefused);
  return (
    <li class={`decision is-${record.state}`}>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <bdi>{question?.title ?? showInvisibleCharacters(form?.title ?? record.kind)}</bdi>{' '}
          <small>
            <FinalState record={record} />
          </small>
        </summary>
        {isOpen && <ApprovalCard api={api} approval={approval} machineNames={null} onDecided={() => undefined} />}
      </details>
    </li>
  );
}

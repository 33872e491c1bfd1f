import { RelativeTime } from '../components/elements';
import type { PermissionRecord } from '../content/records';
import type { DecisionResult } from './approval-decisions';
import { DeciderName } from './decider-name';

/** Says what became of a request that can't be decided any more. @param result of this page's own decision, if any */
export function DecisionStatus({ record, result }: { record: PermissionRecord; result: DecisionResult | undefined }) {
  if (result?.state !== 'final') {
    return (
      <p class="notice" role="status">
        <FinalState record={record} />
      </p>
    );
  }
  return (
    <p class={result.isSuccess ? 'notice' : 'notice problem'} role="status">
      {result.text} {!result.isSuccess && <FinalState record={record} />}
    </p>
  );
}

/** Says how a request ended, and who decided. */
export function FinalState({ record: { state, options, decidedBy, decidedAt } }: { record: PermissionRecord }) {
  const isQuestion = options.length === 0;
  if (state === 'pending') return null;
  if (state === 'expired')
    return isQuestion ? (
      <>Nobody answered in time, so the agent went on without an answer.</>
    ) : (
      <>Nobody decided in time, so the agent was told no.</>
    );
  if (state === 'cancelled') return <>The turn has ended or was cancelled, so nobody has to decide.</>;
  const [allowed, rejected] = isQuestion ? ['Answered', 'Declined'] : ['Allowed', 'Rejected'];
  return (
    <>
      {state === 'allowed' ? allowed : rejected}
      {decidedBy !== undefined && (
        <>
          {' '}
          by <DeciderName decidedBy={decidedBy} />
        </>
      )}
      {decidedAt !== null && (
        <>
          {' '}
          <RelativeTime at={decidedAt} />
        </>
      )}
      .
    </>
  );
}

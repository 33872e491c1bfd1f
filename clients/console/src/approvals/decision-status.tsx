import { RelativeTime } from '../components/elements';
import type { PermissionRecord } from '../content/records';
import type { ApprovalDecision } from './approval-decisions';
import { DeciderName } from './decider-name';

interface DecisionStatusProps {
  record: PermissionRecord;
  /** This page's own decision. */
  decision: Pick<ApprovalDecision, 'result' | 'unsentText'>;
}

/** Says what became of a request that can't be decided any more. Screen readers say it once, without the time. */
export function DecisionStatus({ record, decision: { result, unsentText } }: DecisionStatusProps) {
  const own = result?.state === 'final' ? result : undefined;
  const isProblem = own?.isSuccess === false;
  return (
    <>
      <p class={isProblem ? 'notice problem' : 'notice'}>
        <span role="status">
          {own?.text}
          {isProblem && ' '}
          {!own?.isSuccess && <FinalSentence record={record} />}
        </span>
        {!own?.isSuccess && <DecisionTime record={record} />}
      </p>
      {unsentText.trim() !== '' && (
        <>
          <p class="hint">Your message to the agent was not sent:</p>
          <p class="question-text">
            <bdi>{unsentText}</bdi>
          </p>
        </>
      )}
    </>
  );
}

/** Says how a request ended, who decided, and when. */
export function FinalState({ record }: { record: PermissionRecord }) {
  return (
    <>
      <FinalSentence record={record} />
      <DecisionTime record={record} />
    </>
  );
}

const isDecided = ({ state }: PermissionRecord): boolean => state === 'allowed' || state === 'rejected';

function FinalSentence({ record }: { record: PermissionRecord }) {
  const { state, options, decidedBy } = record;
  const isQuestion = options.length === 0;
  if (state === 'pending') return null;
  if (state === 'expired')
    return isQuestion ? (
      <>Nobody answered in time, so the agent went on without an answer.</>
    ) : (
      <>Nobody decided in time, so the agent was told no.</>
    );
  if (!isDecided(record)) return <>The turn has ended or was cancelled, so nobody has to decide.</>;
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
    </>
  );
}

/** Ends the sentence of a decision. */
function DecisionTime({ record }: { record: PermissionRecord }) {
  if (!isDecided(record)) return null;
  return (
    <>
      {record.decidedAt !== null && (
        <>
          {' '}
          <RelativeTime at={record.decidedAt} />
        </>
      )}
      .
    </>
  );
}

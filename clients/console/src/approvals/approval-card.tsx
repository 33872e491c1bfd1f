import { useState } from 'preact/hooks';
import { Badge, type Tone } from '@external-api/pages';
import { Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { PermissionRecord } from '../content/records';
import { shortenId, showInvisibleCharacters } from '../lib/visible-text';
import { isAllowing } from './approval-decisions';
import { DecisionStatus } from './decision-status';
import { DiffView } from '../components/diff-view';
import { MessageField } from './message-field';
import type { Approval } from './open-approval';
import type { PermissionQuestion, QuestionOption } from './permission-question';
import { QuestionForm } from './question-form';

interface ApprovalCardProps {
  api: AccountApi;
  approval: Approval;
  /** Names of machines by id; null where the page is about one session. */
  machineNames: ReadonlyMap<string, string> | null;
  /** Called after a decision, whether it counted or not. */
  onDecided: () => void;
}

/** One permission request or question: what is asked, and the decision. */
export function ApprovalCard({ api, approval, machineNames, onDecided }: ApprovalCardProps) {
  const { record, question, form, problem } = approval;
  const title = question?.title ?? (form && showInvisibleCharacters(form.title));
  const headingId = `heading-${record.id}`;
  return (
    <article class="card approval" aria-labelledby={headingId} data-request={record.id}>
      <div class="approval-head">
        <h2 id={headingId}>
          <bdi>{title || `A question of the kind “${showInvisibleCharacters(record.kind)}”`}</bdi>
        </h2>
        <Badge tone={STATE_TONES[record.state]}>{record.state === 'pending' ? 'waiting for you' : record.state}</Badge>
      </div>
      <ApprovalFacts approval={approval} machineNames={machineNames} />
      {form ? (
        <QuestionForm api={api} approval={approval} form={form} onDecided={onDecided} />
      ) : (
        <>
          {question ? <QuestionView question={question} /> : <p class="notice problem">{problem}</p>}
          <DecisionButtons api={api} approval={approval} onDecided={onDecided} />
        </>
      )}
    </article>
  );
}

export const STATE_TONES: Record<PermissionRecord['state'], Tone> = {
  pending: 'waiting',
  allowed: 'good',
  rejected: 'bad',
  expired: 'quiet',
  cancelled: 'quiet',
};

function ApprovalFacts({ approval, machineNames }: Pick<ApprovalCardProps, 'approval' | 'machineNames'>) {
  const { record, session, question } = approval;
  const { machineId, title } = session;
  return (
    <p class="approval-facts">
      <span class="mono">{question?.tool ?? showInvisibleCharacters(record.kind)}</span>
      {machineNames && (
        <span>
          in{' '}
          <a href={`/console/sessions/${record.sessionId}`}>
            <bdi>{showInvisibleCharacters(title)}</bdi>
          </a>
        </span>
      )}
      {machineNames && machineId && (
        <span>
          on{' '}
          <a href={`/console/machines/${machineId}`}>
            <bdi>{machineNames.get(machineId) ?? shortenId(machineId)}</bdi>
          </a>
        </span>
      )}
      {record.state === 'pending' && (
        <span>
          expires <RelativeTime at={record.expiresAt} />
        </span>
      )}
    </p>
  );
}

function QuestionView({ question: { command, input, diff, isTruncated } }: { question: PermissionQuestion }) {
  return (
    <>
      {isTruncated && (
        <p class="notice problem">
          The machine has left out parts of this text. Reject the request if the rest doesn’t show what would happen.
        </p>
      )}
      {command !== null && (
        <pre class="text command-line" tabIndex={0} aria-label="Command">
          <code>{command}</code>
        </pre>
      )}
      {input !== '' && (
        <pre class="text" tabIndex={0} aria-label="Input">
          <code>{input}</code>
        </pre>
      )}
      {diff !== '' && <DiffView diff={diff} />}
    </>
  );
}

const OPTION_NAMES: Record<string, string> = {
  allow_once: 'Allow',
  reject_once: 'Reject',
  allow_always: 'Always allow',
  reject_always: 'Always reject',
};
/** Buttons to press without a decision that lasts come first. */
const OPTION_ORDER = ['allow_once', 'reject_once', 'allow_always', 'reject_always'];

/** Kinds that the page doesn't know come last. */
function getOptionRank(kind: string): number {
  const rank = OPTION_ORDER.indexOf(kind);
  return rank === -1 ? OPTION_ORDER.length : rank;
}

function DecisionButtons({ api, approval, onDecided }: Omit<ApprovalCardProps, 'machineNames'>) {
  const { record, session, question, contentHash, decision } = approval;
  const [message, setMessage] = useState(decision.unsentText);
  const [isSending, setSending] = useState(false);
  const { result } = decision;
  const changeMessage = (text: string) => setMessage((decision.unsentText = text));

  const decide = async (option: QuestionOption) => {
    setSending(true);
    const opener = session.opener!;
    await decision.sendDecision(api, record, option, contentHash, { text: message, opener });
    setSending(false);
    onDecided();
  };

  if (result?.state === 'final' || record.state !== 'pending')
    return <DecisionStatus record={record} decision={decision} />;
  if (!question) return <UndecidableButtons />;
  const options = [...question.options].sort((a, b) => getOptionRank(a.kind) - getOptionRank(b.kind));
  return (
    <>
      <MessageField id={record.id} rejection="Rejecting" text={message} onInput={changeMessage} />
      <Problem text={result?.text ?? ''} />
      <div class="actions" aria-busy={isSending}>
        {options.map((option) => (
          <OptionButton
            key={option.optionId}
            option={option}
            isDisabled={isSending}
            onClick={() => void decide(option)}
          />
        ))}
      </div>
      {options.some(({ kind }) => kind.endsWith('_always')) && (
        <p class="hint">“Always” is remembered by the agent, which won’t ask again for what it counts as the same.</p>
      )}
    </>
  );
}

interface OptionButtonProps {
  option: QuestionOption;
  isDisabled: boolean;
  onClick: () => void;
}

/** The kind decides what the button says, since an agent may give any name to an option. */
function OptionButton({ option: { kind, name }, isDisabled, onClick }: OptionButtonProps) {
  const kindName = OPTION_NAMES[kind] ?? (isAllowing(kind) ? 'Allow' : 'Choose');
  return (
    <button type="button" class={kind === 'allow_once' ? '' : 'secondary'} disabled={isDisabled} onClick={onClick}>
      {kindName}
      {name !== '' && name !== kindName && (
        <small>
          <bdi>{name}</bdi>
        </small>
      )}
    </button>
  );
}

function UndecidableButtons() {
  return (
    <>
      <div class="actions">
        {['Allow', 'Reject'].map((name) => (
          <button key={name} type="button" class="secondary" disabled>
            {name}
          </button>
        ))}
      </div>
      <p class="hint">You can’t decide here, because this browser can’t show you what would happen.</p>
    </>
  );
}

import { useState } from 'preact/hooks';
import type { QuestionContent } from '@external-api/protocol/portable';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import { showInvisibleCharacters } from '../lib/visible-text';
import type { ApprovalDecision } from './approval-decisions';
import { DecisionStatus } from './decision-status';
import { readAnswers } from './form-answers';
import { MessageField } from './message-field';
import type { Approval } from './open-approval';
import { QuestionFieldInput } from './question-fields';

interface QuestionFormProps {
  api: AccountApi;
  approval: Approval;
  form: QuestionContent;
  /** Called after a decision, whether it counted or not. */
  onDecided: () => void;
}

/** The form of a question: what the agent wants to know, and the answers. */
export function QuestionForm({ api, approval, form, onDecided }: QuestionFormProps) {
  const { record, session, contentHash, decision } = approval;
  const [message, setMessage] = useState(decision.unsentText);
  const [isSending, setSending] = useState(false);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const { schema } = form;
  const { result } = decision;
  const changeMessage = (text: string) => setMessage((decision.unsentText = text));
  const isOpen = record.state === 'pending' && result?.state !== 'final';

  const send = async (answers: Parameters<ApprovalDecision['sendAnswers']>[2]) => {
    setSending(true);
    const sent = { text: message, opener: session.opener! };
    await decision.sendAnswers(api, record, answers, contentHash, sent);
    setSending(false);
    onDecided();
  };
  const sendEntered = (data: FormData) => {
    const entered = readAnswers(data, schema);
    setProblems('problems' in entered ? entered.problems : new Map());
    if ('answers' in entered) void send(entered.answers);
  };

  return (
    <>
      {[form.message, schema.description ?? ''].filter(Boolean).map((text) => (
        <p key={text} class="question-text">
          <bdi>{showInvisibleCharacters(text)}</bdi>
        </p>
      ))}
      {isOpen ? (
        <form
          class="question-form"
          aria-label={`Answer: ${showInvisibleCharacters(form.title)}`}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            sendEntered(new FormData(event.currentTarget));
          }}
        >
          {Object.entries(schema.properties).map(([name, field], index) => (
            <QuestionFieldInput
              key={name}
              id={`${record.id}-${index}`}
              index={index}
              name={name}
              field={field}
              isRequired={schema.required.includes(name)}
              problem={problems.get(name) ?? ''}
            />
          ))}
          <MessageField id={record.id} rejection="Declining" text={message} onInput={changeMessage} />
          <Problem text={result?.text ?? ''} />
          <div class="actions" aria-busy={isSending}>
            <button disabled={isSending}>Answer</button>
            <button type="button" class="secondary" disabled={isSending} onClick={() => void send(null)}>
              Decline
            </button>
          </div>
          <p class="hint">The answers are encrypted in this browser. Don’t give an agent passwords or keys.</p>
        </form>
      ) : (
        <DecisionStatus record={record} decision={decision} />
      )}
    </>
  );
}

import { MAX_DECISION_MESSAGE_LENGTH } from '@external-api/protocol/portable';

interface MessageFieldProps {
  /** ID of the permission request. */
  id: string;
  /** What the buttons call a rejection. */
  rejection: 'Rejecting' | 'Declining';
  text: string;
  onInput: (text: string) => void;
}

/** A message that is sent with a decision: what to do instead, or next. */
export function MessageField({ id, rejection, text, onInput }: MessageFieldProps) {
  return (
    <div class="field">
      <label for={`message-${id}`}>Message to the agent (optional)</label>
      <textarea
        id={`message-${id}`}
        rows={2}
        maxLength={MAX_DECISION_MESSAGE_LENGTH}
        value={text}
        aria-describedby={`message-hint-${id}`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <small id={`message-hint-${id}`}>
        The agent gets it next, before queued messages. {rejection} ends its turn first. The message is encrypted in
        this browser.
      </small>
    </div>
  );
}

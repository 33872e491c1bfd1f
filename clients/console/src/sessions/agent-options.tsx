import type { SessionOption, SessionOptionsResult } from '@external-api/protocol/portable';
import { useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import { explainCallError } from '../content/relayed-call';
import { showInvisibleCharacters } from '../lib/visible-text';

/** What the page says about a call. */
interface CallTexts {
  doing: string;
  done: string;
  /** If nobody knows whether the call took effect. */
  unknown: string;
}

const READ: CallTexts = {
  doing: 'Loading …',
  done: '',
  unknown: 'The options did not arrive. Close and open them to try again.',
};
const CHANGE: CallTexts = {
  doing: 'Changing …',
  done: 'It counts from the next message on.',
  unknown: 'It is not known whether the option was changed. Close and open the options to see it.',
};

/** What the agent of a session offers to choose, such as its model. It is read from the machine when it is opened. */
export function AgentOptions({ api, sessionId }: { api: AccountApi; sessionId: string }) {
  const [offer, setOffer] = useState<SessionOptionsResult | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [progress, setProgress] = useState('');
  const [problem, setProblem] = useState('');
  const path = `/v1/control/sessions/${sessionId}/options`;

  const show = async (texts: CallTexts, call: () => Promise<SessionOptionsResult>): Promise<void> => {
    setBusy(true);
    setProgress(texts.doing);
    setProblem('');
    try {
      setOffer(await call());
      setProgress(texts.done);
    } catch (error) {
      setProblem(explainCallError(error, texts.unknown));
      setProgress('');
    }
    setBusy(false);
  };
  const read = () => show(READ, () => api.getResult<SessionOptionsResult>(path));
  const choose = (id: string, value: string) =>
    show(CHANGE, () => api.patchResult<SessionOptionsResult>(path, { [id]: value }));

  // One call at a time: the answer to an earlier one would hide a later choice.
  return (
    <details class="agent-options" onToggle={(event) => event.currentTarget.open && !isBusy && void read()}>
      <summary>Agent options</summary>
      <Problem text={problem} />
      {offer?.options.length === 0 && <p class="none">The agent offers nothing to choose.</p>}
      <div class="columns">
        {offer?.options.map((option) => (
          <OptionSelect
            key={option.id}
            option={option}
            disabled={isBusy}
            onChoose={(value) => void choose(option.id, value)}
          />
        ))}
      </div>
      <small role="status">{progress}</small>
    </details>
  );
}

interface OptionSelectProps {
  option: SessionOption;
  disabled: boolean;
  onChoose: (value: string) => void;
}

function OptionSelect({ option: { name, value, values }, disabled, onChoose }: OptionSelectProps) {
  const isListed = values.some((each) => each.value === value);
  return (
    <label>
      {showInvisibleCharacters(name)}
      <select value={value ?? ''} disabled={disabled} onChange={(event) => onChoose(event.currentTarget.value)}>
        {!isListed && (
          <option value={value ?? ''} disabled>
            {value ?? 'Unknown'}
          </option>
        )}
        {values.map((each) => (
          <option key={each.value} value={each.value}>
            {showInvisibleCharacters(each.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

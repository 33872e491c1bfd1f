import { useEffect, useState } from 'preact/hooks';
import { Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { showInvisibleCharacters } from '../lib/visible-text';
import type { ListedSession } from '../sessions/listed-session';
import { useSessionPages } from '../sessions/session-pages';
import { DurationField } from './grant-form';
import type { SharingResults } from './grant-sessions';

/** Sessions that the user has selected, and for how long they are to be shared. */
export interface Selection {
  sessions: readonly ListedSession[];
  /** Empty for a grant that doesn't expire. */
  days: string;
}

export const EMPTY_SELECTION: Selection = { sessions: [], days: '7' };

interface SessionPickerProps {
  api: AccountApi;
  keys: AccountKeys;
  selection: Selection;
  results: SharingResults;
  isDisabled: boolean;
  onSelect: (selection: Selection) => void;
}

/** Selects sessions by their decrypted titles. */
export function SessionPicker({ api, keys, selection, results, isDisabled, onSelect }: SessionPickerProps) {
  const { records: sessions, problem, isLoading, hasMore, loadMore } = useSessionPages(api, keys);
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sessions.filter(({ title, tag }) =>
    words.every((word) => `${title} ${tag}`.toLowerCase().includes(word)),
  );

  // The service can't search in encrypted titles, so a search reads all sessions.
  useEffect(() => {
    if (words.length > 0 && hasMore && !isLoading && !problem) loadMore();
  });

  const toggle = (session: ListedSession, isSelected: boolean) => {
    const others = selection.sessions.filter(({ id }) => id !== session.id);
    onSelect({ ...selection, sessions: isSelected ? [...others, session] : others });
  };

  if (sessions.length === 0 && !isLoading && !problem) return <p>You have no sessions yet.</p>;
  return (
    <>
      <div class="filters">
        <label>
          Search
          <input
            type="search"
            value={search}
            placeholder="Title"
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        <DurationField days={selection.days} onChange={(days) => onSelect({ ...selection, days })} />
      </div>
      <Problem text={problem} />
      <fieldset class="session-choices">
        <legend>Sessions</legend>
        {found.map((session) => (
          <SessionChoice
            key={session.id}
            session={session}
            isSelected={selection.sessions.some(({ id }) => id === session.id)}
            isDisabled={isDisabled}
            result={results.get(session.id)}
            onChange={(isSelected) => toggle(session, isSelected)}
          />
        ))}
        {found.length === 0 && !isLoading && <p>No session has this title.</p>}
      </fieldset>
      {isLoading && <p class="hint">Loading …</p>}
      {hasMore && !isLoading && (
        <button type="button" class="plain" onClick={loadMore}>
          Show more sessions
        </button>
      )}
    </>
  );
}

interface SessionChoiceProps {
  session: ListedSession;
  isSelected: boolean;
  isDisabled: boolean;
  /** Undefined before the grant. */
  result: string | null | undefined;
  onChange: (isSelected: boolean) => void;
}

function SessionChoice({ session, isSelected, isDisabled, result, onChange }: SessionChoiceProps) {
  return (
    <label class="box">
      <input
        type="checkbox"
        checked={isSelected}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <bdi>{showInvisibleCharacters(session.title)}</bdi>
        <small>
          <RelativeTime at={session.lastActiveAt} />
          {result === null && ' · shared'}
        </small>
        {typeof result === 'string' && <span class="fault">{result}</span>}
      </span>
    </label>
  );
}

import { useRef, useState } from 'preact/hooks';
import { LiveStatus } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { RenameForm } from './rename-form';
import { SessionBadge } from './session-badge';
import { renameSession, UNTITLED } from './session-title';
import type { SessionState } from './session-state';

interface SessionHeadProps {
  session: SessionRecord;
  state: Pick<SessionState, 'title' | 'opener' | 'refresh' | 'streamState'>;
  api: AccountApi;
  /** Whether the side panel is open. */
  isPanelOpen: boolean;
  panelId: string;
  onTogglePanel: () => void;
}

/** Title of a session, which can be changed, and the button of the side panel. */
export function SessionHead({ session, state, api, isPanelOpen, panelId, onTogglePanel }: SessionHeadProps) {
  const { title, opener, refresh, streamState } = state;
  const [isRenaming, setRenaming] = useState(false);
  const renameButton = useRef<HTMLButtonElement>(null);
  const closeRenaming = () => {
    setRenaming(false);
    renameButton.current?.focus();
  };
  return (
    <>
      <div class="conversation-head">
        <div class="title-line">
          <p class="eyebrow">
            <a href="/console/sessions">Sessions</a>
          </p>
          <h1>
            <bdi>{showInvisibleCharacters(title)}</bdi>
          </h1>
          <SessionBadge session={session} />
          {opener && (
            <button
              ref={renameButton}
              type="button"
              class="plain"
              aria-expanded={isRenaming}
              onClick={() => setRenaming(!isRenaming)}
            >
              Rename
            </button>
          )}
        </div>
        <LiveStatus state={streamState} />
        <button
          type="button"
          class="secondary small"
          aria-expanded={isPanelOpen}
          aria-controls={isPanelOpen ? panelId : undefined}
          onClick={onTogglePanel}
        >
          Details
        </button>
      </div>
      {isRenaming && opener && (
        <RenameForm
          title={title === UNTITLED ? '' : title}
          rename={async (changed) => {
            await renameSession(api, opener, session.id, changed);
            refresh();
          }}
          onClose={closeRenaming}
        />
      )}
    </>
  );
}

/** Page of one session. */
import { DeciderNames } from './approvals/decider-name';
import { mountPage, type PageProps } from './components/mount-page';
import type { SharingProps } from './sharing/key-grants';
import { SessionView } from './sessions/session-view';

interface SessionPageProps extends PageProps {
  sessionId: string;
  sharing: SharingProps;
  deciderNames: Record<string, string>;
}

void mountPage<SessionPageProps>(({ props, api, keys }) => (
  <DeciderNames.Provider value={props.deciderNames}>
    <SessionView
      api={api}
      keys={keys}
      accountId={props.accountId}
      sessionId={props.sessionId}
      sharing={props.sharing}
    />
  </DeciderNames.Provider>
));

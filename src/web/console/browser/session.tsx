/** Page of one session. */
import { mountPage, type PageProps } from './components/mount-page';
import type { SharingProps } from './sharing/key-grants';
import { SessionView } from './sessions/session-view';

interface SessionPageProps extends PageProps {
  sessionId: string;
  sharing: SharingProps;
}

void mountPage<SessionPageProps>(({ props, api, keys }) => (
  <SessionView api={api} keys={keys} accountId={props.accountId} sessionId={props.sessionId} sharing={props.sharing} />
));

/** Section that shares sessions with one token or app. */
import { mountPage, type PageProps } from './components/mount-page';
import type { SharingProps } from './sharing/key-grants';
import { ShareSessions } from './sharing/share-sessions';

interface ShareSessionsProps extends PageProps {
  audience: SharingProps['audience'];
  /** Id of the token, or client id of the app. */
  granteeId: string;
}

void mountPage<ShareSessionsProps>(({ props, api, keys }) =>
  keys ? <ShareSessions api={api} keys={keys} audience={props.audience} granteeId={props.granteeId} /> : null,
);

/** Page of all sessions. */
import { mountPage } from './components/mount-page';
import { SessionList } from './sessions/session-list';

void mountPage(({ api, keys }) => <SessionList api={api} keys={keys} />);

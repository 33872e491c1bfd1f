/** Recent sessions on the home page. */
import { mountPage } from './components/mount-page';
import { RecentSessions } from './sessions/recent-sessions';

void mountPage(({ api, keys }) => <RecentSessions api={api} keys={keys} />);

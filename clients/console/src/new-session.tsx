/** Page that starts a session. */
import { mountPage } from './components/mount-page';
import { NewSessionPage } from './machines/new-session';

void mountPage((context) => <NewSessionPage {...context} />);

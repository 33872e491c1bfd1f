/** Page of all permission requests. */
import { ApprovalPage } from './approvals/approval-page';
import { mountPage } from './components/mount-page';

void mountPage(({ api, keys }) => <ApprovalPage api={api} keys={keys} />);

/** Page of all permission requests. */
import { ApprovalPage } from './approvals/approval-page';
import { DeciderNames } from './approvals/decider-name';
import { mountPage, type PageProps } from './components/mount-page';

interface ApprovalsProps extends PageProps {
  deciderNames: Record<string, string>;
}

void mountPage<ApprovalsProps>(({ props, api, keys }) => (
  <DeciderNames.Provider value={props.deciderNames}>
    <ApprovalPage api={api} keys={keys} />
  </DeciderNames.Provider>
));

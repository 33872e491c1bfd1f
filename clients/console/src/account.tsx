/** Settings of this browser's notifications on the account's page. */
import { mountPage, type PageProps } from './components/mount-page';
import { NotificationSettings } from './push/notification-settings';

void mountPage<PageProps & { deviceId: string }>(({ props, api }) => (
  <NotificationSettings api={api} accountId={props.accountId} deviceId={props.deviceId} />
));

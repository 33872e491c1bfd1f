import type { NavigationPage } from '../../common/html';

/** The console's navigation, with the names and the order of docs/guide/console.md. */
export const NAVIGATION_PAGES: readonly NavigationPage[] = [
  { name: 'Home', path: '/console', isExact: true },
  { name: 'Sessions', path: '/console/sessions' },
  { name: 'Approvals', path: '/console/approvals' },
  { name: 'Machines', path: '/console/machines' },
  { name: 'Artifacts', path: '/console/artifacts' },
  { name: 'Tokens', path: '/console/tokens' },
  { name: 'Apps', path: '/console/apps' },
  { name: 'Authorized apps', path: '/console/authorized-apps' },
  { name: 'Webhooks', path: '/console/webhooks' },
  { name: 'Devices', path: '/console/devices' },
  { name: 'Activity', path: '/console/activity' },
  { name: 'Usage', path: '/console/usage' },
];

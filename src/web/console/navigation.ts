import type { NavigationPage } from '../../common/html';

/** The console's navigation, with the names and the order of docs/guide/console.md. */
export const NAVIGATION_PAGES: readonly NavigationPage[] = [
  { name: 'Tokens', path: '/console/tokens' },
  { name: 'Apps', path: '/console/apps' },
  { name: 'Authorized apps', path: '/console/authorized-apps' },
  { name: 'Webhooks', path: '/console/webhooks' },
  { name: 'Devices', path: '/console/devices' },
  { name: 'Activity', path: '/console/activity' },
  { name: 'Usage', path: '/console/usage' },
];

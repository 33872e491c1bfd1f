/** Entry of the navigation. */
export interface NavigationPage {
  name: string;
  path: string;
  /** Not marked as current on pages below its path. */
  isExact?: boolean;
}

interface NavigationGroup {
  name: string;
  pages: readonly NavigationPage[];
}

/** Page whose entry shows how many requests wait for a decision. */
export const APPROVALS_PATH = '/console/approvals';

/** The console's navigation, with the names and the order of docs/guide/console.md. */
export const NAVIGATION_GROUPS: readonly NavigationGroup[] = [
  {
    name: 'Work',
    pages: [
      { name: 'Home', path: '/console', isExact: true },
      { name: 'Sessions', path: '/console/sessions' },
      { name: 'Approvals', path: APPROVALS_PATH },
      { name: 'Machines', path: '/console/machines' },
      { name: 'Artifacts', path: '/console/artifacts' },
    ],
  },
  {
    name: 'Developers',
    pages: [
      { name: 'Tokens', path: '/console/tokens' },
      { name: 'Apps', path: '/console/apps' },
      { name: 'Webhooks', path: '/console/webhooks' },
      { name: 'Activity', path: '/console/activity' },
      { name: 'Usage', path: '/console/usage' },
    ],
  },
  {
    name: 'Account',
    pages: [
      { name: 'Devices', path: '/console/devices' },
      { name: 'Authorized apps', path: '/console/authorized-apps' },
      { name: 'Security log', path: '/console/security-log' },
      { name: 'Settings', path: '/console/account' },
    ],
  },
];

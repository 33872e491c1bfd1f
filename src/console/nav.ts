/** A page of the console's navigation: its name in console.md, and its address. */
export interface NavPage {
  name: string;
  path: string;
}

/** In the order of console.md. */
export const NAV: readonly NavPage[] = [
  { name: 'Tokens', path: '/console/tokens' },
  { name: 'Apps', path: '/console/apps' },
  { name: 'Authorized apps', path: '/console/authorized-apps' },
  { name: 'Webhooks', path: '/console/webhooks' },
  { name: 'Devices', path: '/console/devices' },
  { name: 'Activity', path: '/console/activity' },
  { name: 'Usage', path: '/console/usage' },
];

import { DEVICE_PERMISSIONS } from '../../src/access/auth';
import type { AccessLevel } from '../../src/common/manifest';

const ACCESS_LEVEL_TEXTS: Record<AccessLevel, string> = {
  any: 'yes',
  hosted: 'only those it hosts',
  own: 'only its own',
  no: 'no: 403 `forbidden`',
};

/** Builds `docs/device-permissions.md`: the permissions by device kind. */
export function buildDevicePermissionsDocument(): string {
  const tableRows = Object.entries(DEVICE_PERMISSIONS).map(
    ([name, { account, machine, what }]) =>
      `| ${what} (\`${name}\`) | ${ACCESS_LEVEL_TEXTS[account]} | ${ACCESS_LEVEL_TEXTS[machine]} |`,
  );
  return [
    '# Device permissions',
    '',
    'Generated from the manifests of `src/app.manifest.ts` by `npm run generate`. Do not edit it by hand.',
    '',
    '| Permission | Account device (the user) | Machine device (daemon, server) |',
    '| --- | --- | --- |',
    ...tableRows,
    '',
    'A machine has its own key on purpose: anyone who can run commands on a machine can read its key file, which must',
    'not give access to the account.',
    '',
  ].join('\n');
}

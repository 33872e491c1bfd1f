import { DEVICE_PERMISSIONS, type Reach } from '../auth';

const WORDS: Record<Reach, string> = {
  any: 'yes',
  hosted: 'those it hosts',
  own: 'its own',
  no: 'no: 403 `forbidden`',
};

/** `docs/device-permissions.md`: the allow-list of device kinds. */
export function devicePermissionsDocument(): string {
  const rows = Object.entries(DEVICE_PERMISSIONS).map(
    ([name, { account, machine, what }]) => `| ${what} (\`${name}\`) | ${WORDS[account]} | ${WORDS[machine]} |`,
  );
  return [
    '# What a device may do',
    '',
    'Generated from `src/auth/device-permissions.ts` by `npm run generate`; not edited by hand.',
    '',
    '| May | Account device (the person) | Machine device (daemon, server) |',
    '| --- | --- | --- |',
    ...rows,
    '',
    'A machine key is separate on purpose: whoever may run commands on a machine can read its key file, and must not gain',
    'the account with it.',
    '',
  ].join('\n');
}

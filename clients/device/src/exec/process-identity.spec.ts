import type * as FileSystem from 'node:fs/promises';
import { identifyProcess } from './process-identity';
import { itWith } from '../../../../test/support/dependencies';

jest.mock('node:fs/promises', () => ({
  ...jest.requireActual<typeof FileSystem>('node:fs/promises'),
  readFile: () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' })),
}));

const { platform } = process;
const { TZ, LC_ALL } = process.env;
beforeAll(() => Object.defineProperty(process, 'platform', { value: 'darwin' }));
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: platform });
  Object.assign(process.env, { TZ, LC_ALL });
});

/** As a process with this environment identifies this one where there is no /proc. */
async function identifySelf(environment: Record<string, string>): Promise<string | undefined> {
  Object.assign(process.env, environment);
  return (await identifyProcess(process.pid))?.startedAt;
}

itWith('ps')('identifies a process without /proc alike in each language and time zone', async () => {
  const identity = await identifySelf({ TZ: 'Asia/Tokyo', LC_ALL: 'en_GB.UTF-8' });
  expect(identity).toMatch(/\d\d:\d\d:\d\d/);
  expect(await identifySelf({ TZ: 'America/Lima', LC_ALL: 'de_DE.UTF-8' })).toBe(identity);
});

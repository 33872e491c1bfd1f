import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAdminProgram } from '../../support/admin-cli';
import { ensureServiceBuilt } from '../../support/ensure-service-built';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'admin.md');
/** Arguments that the table lists for `read-only on`. */
const ARGUMENTS = ['off', 'status'];

describe('npm run admin', () => {
  beforeAll(ensureServiceBuilt);

  it('shows the commands of the documentation, and no others', async () => {
    const { code, stdout, stderr } = await runAdminProgram({}, '--help');
    expect([code, stderr]).toEqual([0, '']);
    const commands = [...stdout.split('\nCommands:\n')[1]!.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
    const cells = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (`[a-z].*?) +\| [A-Z]/gm)].map(([, cell]) => cell!);
    const documented = cells.flatMap((cell) => [...cell.matchAll(/`([a-z][a-z-]+)/g)].map(([, name]) => name!));
    const names = [...new Set(documented)].filter((name) => !ARGUMENTS.includes(name));
    expect(commands.filter((name) => name !== 'help').sort()).toEqual(names.sort());
  });

  it('prints a key as a setting for people, and as one line of JSON for scripts', async () => {
    const { stdout, stderr } = await runAdminProgram({}, 'push-keys');
    expect(stdout).toMatch(/^PUSH_VAPID_PRIVATE_KEY=[\w-]{43}\n$/);
    expect(stderr).toContain('PUSH_VAPID_SUBJECT');
    const scripted = await runAdminProgram({}, 'push-keys', '--json');
    const line = expect.stringMatching(/^\{"privateKey":"[\w-]{43}"\}\n$/);
    expect(scripted).toEqual({ code: 0, stdout: line, stderr: '' });
  });
});

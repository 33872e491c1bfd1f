import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** What it writes when nothing is wrong, `.ci/new-resource` proves in a copy of the repository. */
describe('npm run new:resource', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'new-resource.mjs'), ...args], { encoding: 'utf8' });
  const modules = () => readdirSync(join(ROOT, 'src'));

  it.each([
    [[], 'one NAME is needed'],
    [['notes', 'tags'], 'one NAME is needed'],
    [['Notes'], '"Notes" is not small letters'],
    [['../notes'], '"../notes" is not small letters'],
    [['sheep'], '"sheep" needs a --singular of its own'],
    [['notes', '--scope', 'notes:read'], 'There is no scope "notes:read": sessions:read, '],
    [['notes', '--prefix', 'ses'], 'ids with the prefix "ses" are others\''],
    [['notes', '--prefix', 'n-1'], '"n-1" is no prefix'],
    [['notes', '--singular', 'session'], 'openapi.json has a schema Session already'],
    [['artifacts'], 'src/artifacts is there already'],
    [['invitations'], 'A table invitations is there already'],
    [['pairings'], 'A table pairings is there already'],
    [['notes', '--colour', 'red'], "Unknown option '--colour'"],
  ])('with %j changes nothing and says why', (args, reason) => {
    const before = modules();
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(`error: ${reason}`);
    expect(stderr).toContain('usage: npm run new:resource');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(modules()).toEqual(before);
  });
});

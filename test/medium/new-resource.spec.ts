import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Tests rejected arguments. `.ci/new-resource` tests the generated files in a copy of the repository. */
describe('npm run new:resource', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'tools', 'new-resource.mjs'), ...args], { encoding: 'utf8' });
  const modules = () => readdirSync(join(ROOT, 'src', 'modules'));

  it.each([
    [[], 'exactly one NAME is required'],
    [['notes', 'tags'], 'exactly one NAME is required'],
    [['Notes'], '"Notes" must be lower case'],
    [['../notes'], '"../notes" must be lower case'],
    [['sheep'], '"sheep" requires --singular'],
    [['notes', '--scope', 'notes:read'], 'The scope "notes:read" doesn\'t exist. Choose one of: sessions:read, '],
    [['notes', '--prefix', 'ses'], 'The prefix "ses" is in use'],
    [['notes', '--prefix', 'n-1'], '"n-1" is not a prefix'],
    [['notes', '--singular', 'session'], 'openapi.json already has a schema Session'],
    [['artifacts'], 'src/modules/artifacts already exists'],
    [['invitations'], 'A table invitations already exists'],
    [['pairings'], 'A table pairings already exists'],
    [['notes', '--colour', 'red'], "Unknown option '--colour'"],
  ])('changes nothing with %j and prints the reason', (args, reason) => {
    const before = modules();
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(`error: ${reason}`);
    expect(stderr).toContain('usage: npm run new:resource');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(modules()).toEqual(before);
  });
});

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/**
 * Tests rejected arguments. new-resource-recipe.spec.ts tests the generated files in a copy of the repository. Both use
 * names that no resource will have, unlike the examples of docs/adding-a-resource.md.
 */
describe('npm run new:resource', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'tools', 'new-resource.mjs'), ...args], { encoding: 'utf8' });
  const modules = () => readdirSync(join(ROOT, 'src', 'modules'));

  it.each([
    [[], 'exactly one NAME is required'],
    [['specimens', 'samples'], 'exactly one NAME is required'],
    [['Specimens'], '"Specimens" must be lower case'],
    [['../specimens'], '"../specimens" must be lower case'],
    [['sheep'], '"sheep" requires --singular'],
    [['time-series'], '"time-series" requires --singular'],
    [['s'.repeat(41)], `"${'s'.repeat(41)}" has more than 40 characters`],
    [
      ['specimens', '--scope', 'specimens:write'],
      'The scope "specimens:write" doesn\'t exist. Choose specimens:read, which is added, or one of: artifacts:',
    ],
    [['artifacts', '--write'], 'src/modules/artifacts already exists'],
    [['specimens', '--prefix', 'ses'], 'The prefix "ses" is in use'],
    [['specimens', '--prefix', 'n-1'], '"n-1" is not a prefix'],
    [['specimens', '--singular', 'session'], 'openapi.json already has a schema Session'],
    [['artifacts'], 'src/modules/artifacts already exists'],
    [['invitations'], 'A table invitations already exists'],
    [['pairings'], 'A table pairings already exists'],
    [['--undo', 'specimens'], 'There is no record of specimens'],
    [['--undo', '../specimens'], '"../specimens" must be lower case'],
    [['specimens', '--colour', 'red'], "Unknown option '--colour'"],
  ])('changes nothing with %j and prints the reason', (args, reason) => {
    const before = modules();
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(`error: ${reason}`);
    expect(stderr).toContain('usage: npm run new:resource');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(modules()).toEqual(before);
  });
});

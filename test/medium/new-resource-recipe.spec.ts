import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describeWith } from '../support/dependencies';

const SCRIPT = join(__dirname, '..', '..', 'tools', 'new-resource', 'verify-recipe.sh');
// The checks and tests of a whole checkout.
const TIMEOUT_MS = 540_000;

describeWith('git')('the recipe for a new resource', () => {
  it(
    'writes code that passes every check and its own tests, and that can be undone',
    () => {
      const env = { ...process.env };
      // The tests of the copy have a plan of their own.
      delete env.TEST_PLAN;
      delete env.TEST_REPORT_FOLDER;
      const { status, stdout, stderr } = spawnSync('bash', [SCRIPT], { encoding: 'utf8', env });
      if (status !== 0) throw new Error(`status ${status}\n${stdout.slice(-8_000)}\n${stderr.slice(-4_000)}`);
    },
    TIMEOUT_MS,
  );
});

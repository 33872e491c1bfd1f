const { existsSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Starts the files that took longest in earlier runs first, so that no worker ends alone. */
module.exports = class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    const plan = join(process.env.TEST_REPORT_FOLDER ?? '', 'plan.json');
    if (!process.env.TEST_REPORT_FOLDER || !existsSync(plan)) return super.sort(tests);
    const { expectedMs } = JSON.parse(readFileSync(plan, 'utf8'));
    const expect = ({ path, context: { config } }) =>
      expectedMs[`${config.displayName?.name} ${relative(config.rootDir, path)}`] ?? 0;
    return [...tests].sort((a, b) => expect(b) - expect(a));
  }
};

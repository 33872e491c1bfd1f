const { projects, ...options } = require('../../jest.config.js');

/** Real agents, which are not dependencies of this project, so that these tests are not a part of `npm test`. */
module.exports = {
  ...options,
  verbose: true,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'e2e-embedded'),
      displayName: 'acceptance',
      testMatch: ['<rootDir>/test/acceptance/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/acceptance/support/install-agents.ts',
      testPathIgnorePatterns: [],
    },
  ],
};

const { projects, ...options } = require('../../jest.config.js');

/** Real agents, which are no dependency of this project, so that these tests are not part of `npm test`. */
module.exports = {
  ...options,
  verbose: true,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'e2e-embedded'),
      displayName: 'acceptance',
      testMatch: ['<rootDir>/test/acceptance/**/*.spec.ts'],
      testPathIgnorePatterns: [],
    },
  ],
};

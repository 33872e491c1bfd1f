const { projects, ...options } = require('../../jest.config.js');

/** Pictures of the console for people to look at (`npm run screenshots`). They are no part of `npm test`. */
module.exports = {
  ...options,
  verbose: true,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'browser'),
      displayName: 'screenshots',
      testMatch: ['<rootDir>/test/screenshots/**/*.spec.ts'],
    },
  ],
};

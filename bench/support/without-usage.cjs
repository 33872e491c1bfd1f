/** Loads the build unchanged except for usage counting, which the service itself can't disable. */
const { UsageModule } = require('../../dist/src/modules/usage/usage.module.js');

UsageModule.prototype.configure = () => undefined;
require('../../dist/src/main.js');

/** Bundles the device with its packages into dist/main.cjs, which runs without an installation. */
import { writePackageBundles } from '../../tools/build/package-bundle.mjs';

await writePackageBundles(import.meta.dirname, {
  entryPoints: { main: 'src/main.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // The file is a command by itself, whose help has the name of the command.
  banner: { js: "#!/usr/bin/env node\nprocess.title = 'xapi-device';" },
});

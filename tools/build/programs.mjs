/** Programs that are bundled: entry points by name, below dist/. The launcher of each has the same name. */
export const PROGRAMS = {
  service: 'src/main.js',
  admin: 'src/programs/admin/main.js',
  device: 'clients/device/src/main.js',
  quickstart: 'clients/quickstart/src/main.js',
  setup: 'src/programs/setup/main.js',
};

/** Programs that the image contains. */
export const IMAGE_PROGRAMS = ['service', 'admin', 'setup'];

export const LAUNCHER = 'src/programs/launcher/main.js';

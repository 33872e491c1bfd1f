import { defineManifest } from '../../common/manifest';

export const readOnlyManifest = defineManifest({
  tables: {
    owned: ['service_modes'],
  },
});

import { defineManifest } from '../../common/manifest';

export const instancesManifest = defineManifest({
  tables: {
    owned: ['instances', 'task_turns'],
  },
});

import { defineManifest } from '../../common/manifest';

export const idempotencyManifest = defineManifest({
  tables: {
    owned: ['idempotency_keys', 'kept_answer_hours'],
  },
});

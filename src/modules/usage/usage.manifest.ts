import { defineManifest } from '../../common/manifest';

export const usageManifest = defineManifest({
  scopes: {
    'usage:read': { description: 'Read API usage counts', consent: 'See your API usage', group: 'Account' },
  },
  tables: {
    owned: ['usage_counts'],
    read: ['app_authorizations', 'developer_apps', 'external_tokens', 'oauth_token_families'],
  },
});

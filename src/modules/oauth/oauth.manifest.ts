import { defineManifest } from '../../common/manifest';

export const oauthManifest = defineManifest({
  tables: {
    owned: ['oauth_requests', 'oauth_codes', 'oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_token_families'],
    read: ['accounts', 'app_authorizations', 'developer_apps'],
  },
});

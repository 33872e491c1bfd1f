const js = require('@eslint/js');
const globals = require('globals');
const tseslint = require('typescript-eslint');

const restrictedSyntax = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Only src/core/config reads the environment.',
  },
];

/** Statements belong to repositories. The others have a reason. */
const statementOwners = [
  'src/**/*.repository.ts',
  'src/core/database/**',
  // The admin program runs these without the modules and their repositories.
  'src/modules/accounts/account-admin.service.ts',
  'src/modules/accounts/invitations.service.ts',
  'src/modules/relay/audit/relay-call-reader.ts',
  'src/modules/webhooks/subscriptions/secret-reencryption.service.ts',
  // These manage tables, not rows: partitions, and what is left of deleted webhooks in any table.
  'src/modules/webhooks/deliveries/attempt-partition.service.ts',
  'src/modules/webhooks/deliveries/deleted-webhook-cleanup.ts',
];
const rawStatements = [
  {
    selector: 'CallExpression[callee.property.name=/^(query|queryRows)$/]',
    message: 'Only *.repository.ts and src/core/database execute SQL.',
  },
  {
    selector: "CallExpression[callee.name='streamRows']",
    message: 'Only *.repository.ts and src/core/database execute SQL.',
  },
];

module.exports = tseslint.config(
  {
    ignores: [
      '**/dist/',
      'data/',
      'coverage/',
      'node_modules/',
      'clients/typescript/src/generated/',
      'clients/github-action/bundle.mjs',
    ],
  },
  js.configs.recommended,
  { files: ['**/*.{js,mjs,cjs}'], languageOptions: { globals: globals.node } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/core/config/**', 'src/programs/device/**', 'src/programs/quickstart/**'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax] },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: [...statementOwners, 'src/core/config/**', 'src/programs/{device,quickstart}/**', '**/*.spec.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, ...rawStatements] },
  },
  {
    files: ['src/programs/device/**', 'src/programs/quickstart/**', 'tools/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.spec.{ts,tsx}', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
);

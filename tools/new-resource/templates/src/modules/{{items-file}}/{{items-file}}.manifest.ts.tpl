import { defineManifest } from '../../common/manifest';

export const {{items}}Manifest = defineManifest({
  resources: {
    '{{items-file}}': {
      noun: '{{item words}}',
      idPrefix: '{{prefix}}',
      tag: { name: '{{Items words}}', description: 'The {{items words}} of the account.' },
      devicePermissions: {
        '{{items-file}}.write': { account: 'any', machine: 'no', what: '{{changes}} {{items words}}' },
        '{{items-file}}.read': { account: 'any', machine: 'no', what: 'read {{items words}} back' },
      },
    },
  },
{{#scopes}}
  scopes: {
{{#readScope}}
    '{{scope}}': {
      description: 'List {{items words}}',
      consent: 'See your {{items words}}',
      group: '{{Items words}}',
    },
{{/readScope}}
{{#write}}
    '{{write scope}}': {
      description: 'Create, change and delete {{items words}}',
      consent: 'Create, change and delete your {{items words}}',
      group: '{{Items words}}',
    },
{{/write}}
  },
{{/scopes}}
{{#event}}
  events: {
    '{{item_name}}.created': {
      when: '{{a item}} is created',
      label: '{{A item}} is created',
      group: '{{Items words}}',
      access: '{{scope}}',
      data: '{{Item}}Dto',
    },
{{#write}}
    '{{item_name}}.updated': {
      when: '{{a item}} is changed',
      label: '{{A item}} is changed',
      group: '{{Items words}}',
      access: '{{scope}}',
      data: '{{Item}}Dto',
    },
{{/write}}
    '{{item_name}}.deleted': {
      when: '{{a item}} is deleted. `data` is its last state',
      label: '{{A item}} is deleted',
      group: '{{Items words}}',
      access: '{{scope}}',
      data: '{{Item}}Dto',
    },
  },
{{/event}}
  tables: { owned: ['{{items_table}}'] },
});

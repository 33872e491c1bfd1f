import { defineManifest } from '../../common/manifest';

export const artifactsManifest = defineManifest({
  resources: {
    artifacts: {
      noun: 'artifact',
      idPrefix: 'art',
      tag: {
        name: 'Artifacts',
        description: 'Files that sessions created. Metadata only: content is end-to-end encrypted.',
      },
      devicePermissions: {
        'artifacts.write': { account: 'any', machine: 'hosted', what: 'create, change and delete artifacts' },
        'artifacts.read': { account: 'any', machine: 'hosted', what: 'read artifacts' },
      },
    },
  },
  scopes: {
    'artifacts:read': {
      description: 'List artifacts',
      consent: 'See the files your sessions have created',
      caution: 'Not their content.',
      group: 'Files',
    },
    'artifacts:content': {
      description: 'Read artifact content where a key grant exists',
      consent: 'Read the files you share with it',
      caution: 'Only where one of your devices has granted the key.',
      group: 'Files',
    },
    'artifacts:write': {
      description: 'Reserved; grants no access yet',
      consent: 'Reserved for later use; allows nothing yet',
    },
  },
  events: {
    'artifact.created': {
      when: 'an artifact is created',
      label: 'A file is created',
      group: 'Files',
      access: 'artifacts:read',
      data: 'ArtifactDto',
    },
    'artifact.updated': {
      when: "an artifact's content is replaced",
      label: 'A file is updated',
      group: 'Files',
      access: 'artifacts:read',
      data: 'ArtifactDto',
    },
    'artifact.deleted': {
      when: 'an artifact is deleted. `data` is its last state',
      label: 'A file is deleted',
      group: 'Files',
      access: 'artifacts:read',
      data: 'ArtifactDto',
    },
  },
  tables: {
    owned: ['artifacts'],
    read: ['sessions'],
  },
});

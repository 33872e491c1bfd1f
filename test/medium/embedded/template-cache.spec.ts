import { cpSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../../support/temp-folder';
import { provideTemplate } from '../../support/template-cache';

describe('the cache of migrated data folders', () => {
  let cacheFolder: string;
  let created: number;
  beforeEach(() => {
    cacheFolder = createTempFolder();
    created = 0;
  });

  const createFiles = (folder: string) => {
    created++;
    writeFileSync(join(folder, 'file'), '');
  };

  it('creates a template once for each version', () => {
    const first = provideTemplate(cacheFolder, 'v1', createFiles);
    expect(readdirSync(first)).toEqual(['file']);
    expect(provideTemplate(cacheFolder, 'v1', createFiles)).toBe(first);
    expect(created).toBe(1);
    expect(provideTemplate(cacheFolder, 'v2', createFiles)).not.toBe(first);
    expect(created).toBe(2);
    expect(readdirSync(cacheFolder)).toHaveLength(2);
  });

  it('removes a template that no run has used for a day', () => {
    const old = provideTemplate(cacheFolder, 'v1', createFiles);
    const recent = provideTemplate(cacheFolder, 'v2', createFiles);
    const yesterday = new Date(Date.now() - 86_400_000 - 60_000);
    utimesSync(old, yesterday, yesterday);
    utimesSync(recent, yesterday, yesterday);
    provideTemplate(cacheFolder, 'v2', createFiles);
    expect(readdirSync(cacheFolder).map((name) => join(cacheFolder, name))).toEqual([recent]);
  });

  it('leaves nothing if the creation fails', () => {
    const fail = (folder: string) => {
      createFiles(folder);
      throw new Error('no space');
    };
    expect(() => provideTemplate(cacheFolder, 'v1', fail)).toThrow('no space');
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  it('uses the template of a concurrent run that was faster', () => {
    const whileAnotherFinishes = (folder: string) => {
      createFiles(folder);
      cpSync(folder, join(cacheFolder, 'embedded-template-v1'), { recursive: true });
    };
    const template = provideTemplate(cacheFolder, 'v1', whileAnotherFinishes);
    expect(readdirSync(template)).toEqual(['file']);
    expect(readdirSync(cacheFolder)).toHaveLength(1);
  });
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../test/support/temp-folder';

describe('getOrCreateText', () => {
  let project: string;
  beforeEach(() => {
    project = createTempFolder();
    mkdirSync(join(project, 'node_modules'));
    for (const file of ['text-cache.mjs', 'build/whole-file.mjs'])
      cpSync(join(__dirname, file), join(project, 'tools', file));
    writeFileSync(join(project, 'tools', 'lib.mjs'), `export const root = ${JSON.stringify(project)};`);
  });

  /** Asks for the text of each of the sources in turn, and returns which of them were made. */
  function listMade(...sources: string[]): string[] {
    const script = `import { getOrCreateText } from ${JSON.stringify(join(project, 'tools', 'text-cache.mjs'))};
      const made = [];
      for (const source of ${JSON.stringify(sources)}) {
        const text = await getOrCreateText('letters', [source], () => (made.push(source), source + source));
        if (text !== source + source) throw new Error(text);
        // The order of use counts, which a file has in ms.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      console.log(made.join());`;
    const args = ['--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split(',');
  }

  it('makes a text once, and again when four others were made or read since', () => {
    expect(listMade('a', 'b', 'a', 'c', 'd', 'a', 'e', 'a', 'b')).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
    expect(listMade('b')).toEqual(['']);
  });

  it('makes each text where the cache can’t be written', () => {
    writeFileSync(join(project, 'node_modules', '.cache'), 'not a folder');
    expect(listMade('a', 'a')).toEqual(['a', 'a']);
    rmSync(join(project, 'node_modules', '.cache'));
    expect(listMade('a', 'a')).toEqual(['a']);
  });
});

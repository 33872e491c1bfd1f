import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTempFolder } from '../support/temp-folder';

const BUILD_TOOL = join(__dirname, '..', '..', 'tools', 'build.mjs');

describe('a build', () => {
  let folder: string;
  beforeEach(() => {
    folder = createTempFolder();
    writeSource('package-lock.json', '{}');
    writeSource('src/note.entity.ts', 'export class NoteEntity {}');
    writeSource('src/page.css', 'p {}');
    writeSource('migrations/index.ts', 'export const migrations: string[] = [];');
  });

  function writeSource(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const build = () => spawnSync(process.execPath, [BUILD_TOOL, folder], { encoding: 'utf8' });
  const isBuilt = (path: string) => existsSync(join(folder, 'dist', path));

  it('compiles code and copies the files that code reads, but no tests', () => {
    writeSource('src/note.entity.spec.ts', '');
    expect(build().status).toBe(0);
    expect(
      ['src/note.entity.js', 'src/note.entity.js.map', 'src/page.css', 'migrations/index.js'].filter(isBuilt),
    ).toHaveLength(4);
    expect(isBuilt('src/note.entity.spec.js')).toBe(false);
  });

  it('removes the output of deleted sources', () => {
    build();
    rmSync(join(folder, 'src/note.entity.ts'));
    rmSync(join(folder, 'src/page.css'));
    build();
    expect(['src/note.entity.js', 'src/note.entity.js.map', 'src/page.css'].filter(isBuilt)).toEqual([]);
    expect(isBuilt('migrations/index.js')).toBe(true);
  });

  it('removes output that no build has recorded', () => {
    writeSource('dist/src/old.entity.js', '');
    build();
    expect(isBuilt('src/old.entity.js')).toBe(false);
  });

  it('restores deleted output and replaces the output of edited sources', () => {
    build();
    rmSync(join(folder, 'dist/src/page.css'));
    writeSource('src/note.entity.ts', 'export class NoteEntity { text = "edited"; }');
    build();
    expect(isBuilt('src/page.css')).toBe(true);
    expect(readFileSync(join(folder, 'dist/src/note.entity.js'), 'utf8')).toContain('edited');
  });

  it('compiles restored sources after a build that failed', () => {
    build();
    writeSource('src/note.entity.ts', 'export class NoteEntity { text = "edited"; }');
    writeSource('src/tag.entity.ts', 'export class {');
    expect(build().status).toBe(1);
    writeSource('src/note.entity.ts', 'export class NoteEntity {}');
    rmSync(join(folder, 'src/tag.entity.ts'));
    expect(build().status).toBe(0);
    expect(readFileSync(join(folder, 'dist/src/note.entity.js'), 'utf8')).not.toContain('edited');
  });

  it('fails with the file and the line of a syntax error, also when it is repeated', () => {
    writeSource('src/note.entity.ts', '\nexport class {');
    for (const { status, stderr } of [build(), build()]) {
      expect(status).toBe(1);
      expect(stderr).toContain('src/note.entity.ts:2');
    }
  });
});

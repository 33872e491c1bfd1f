import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BundledProject } from '../support/bundled-project';
import { BUILD_FOLDER } from '../support/ensure-service-built';

interface Outside {
  OUTSIDE: Record<string, string>;
}

describe('bundles of programs', () => {
  it('contain no package that must stay outside', async () => {
    const { OUTSIDE } = (await import(join(__dirname, '..', '..', 'tools', 'build', 'outside.mjs'))) as Outside;
    const map = readFileSync(join(BUILD_FOLDER, 'programs', 'service.bundle.js.map'), 'utf8');
    const { sources } = JSON.parse(map) as { sources: string[] };
    const packages = new Set(sources.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
    expect(packages.size).toBeGreaterThan(50);
    expect(packages).toContain('typeorm');
    expect(Object.keys(OUTSIDE).filter((name) => packages.has(name))).toEqual([]);
    expect(Object.keys(OUTSIDE)).toContain('@electric-sql/pglite');
  });

  describe('of a small project', () => {
    let project: BundledProject;
    beforeEach(() => {
      project = new BundledProject();
      project.writeFile('src/main.ts', "import { text } from './text';\nconsole.log(text);\n");
      project.writeFile('src/text.ts', "export const text = 'first';\n");
    });

    it('run without the single files, and are replaced after a change', () => {
      expect(project.buildProject()).toMatchObject({ status: 0, stderr: '' });
      project.writeFile('src/text.ts', "export const text = 'second';\n");
      expect(project.runService().stdout).toBe('first\n');
      project.buildProject();
      rmSync(join(project.folder, 'dist', 'src'), { recursive: true });
      expect(project.runService()).toMatchObject({ status: 0, stdout: 'second\n', stderr: '' });
    });

    it('name files and lines of src/ in stack traces', () => {
      project.writeFile('src/text.ts', "\n\nexport const text = new Error('expected').stack;\n");
      project.buildProject();
      const { stdout } = project.runService();
      expect(stdout).toMatch(/^Error: expected\n {4}at .*\/src\/text\.ts:3:\d+/);
    });

    it('read files from the folder of the single file that reads them', () => {
      project.writeFile('src/files/note.css', 'p {}');
      project.writeFile(
        'src/files/read.ts',
        "import { readFileSync } from 'node:fs';\nexport const text = readFileSync(`${__dirname}/note.css`, 'utf8');\n",
      );
      project.writeFile('src/main.ts', "import { text } from './files/read';\nconsole.log(text);\n");
      project.buildProject();
      expect(project.runService().stdout).toBe('p {}\n');
    });

    it.each([
      ['reads files beside it', "require('node:fs').readFileSync(__dirname + '/package.json');"],
      ['loads modules by computed names', "module.exports = (name) => require('./' + name);"],
      ['starts workers', "new (require('node:worker_threads').Worker)('./worker.js'); new Worker('./worker.js');"],
    ])('are not built with a package that %s', (_, code) => {
      project.writeFile('node_modules/reader/index.js', code);
      project.writeFile('src/main.ts', "import 'reader';\n");
      const { status, stderr } = project.buildProject();
      expect(status).toBe(1);
      expect(stderr).toMatch(/reader\/index\.js must stay outside of the bundles/);
      expect(existsSync(join(project.programs, 'service.js'))).toBe(false);
    });

    it('are not built with a native module', () => {
      project.writeFile('node_modules/addon/index.js', "module.exports = require('./addon.node');");
      project.writeFile('node_modules/addon/addon.node', '');
      project.writeFile('src/main.ts', "import 'addon';\n");
      const { status, stderr } = project.buildProject();
      expect(status).toBe(1);
      expect(stderr).toContain('node_modules/addon/addon.node');
    });

    it('are complete after two builds at once', async () => {
      project.buildProject();
      project.writeFile('src/text.ts', "export const text = 'second';\n");
      const results = await Promise.all([project.startBuild(), project.startBuild(), project.startBuild()]);
      expect(results).toEqual(results.map(() => ({ status: 0, stderr: '' })));
      expect(project.runService().stdout).toBe('second\n');
    });

    it('are built after a build that was killed', () => {
      // No process has this id.
      project.writeFile('dist/.lock', '99999999');
      expect(project.buildProject()).toMatchObject({ status: 0, stderr: '' });
      expect(project.runService().stdout).toBe('first\n');
      expect(existsSync(join(project.folder, 'dist', '.lock'))).toBe(false);
    });
  });
});

import { cpSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BundledProject } from '../support/bundled-project';
import { describeWithSmallDisks, SmallDisk } from '../support/small-disk';

const OTHER_USER = 65_534;
const OTHER_NODES = (process.env.TEST_NODE_BINARIES ?? '').split(':').filter(Boolean);

describe('the code cache of a bundle', () => {
  let project: BundledProject;
  beforeEach(() => {
    project = new BundledProject();
    project.writeFile('src/main.ts', "console.log('text 1');\n");
    project.buildProject();
  });

  const readCache = (name = project.listCaches()[0]!) => readFileSync(join(project.programs, name));
  const runService = (...options: Parameters<BundledProject['runService']>) => {
    const { status, stdout, stderr } = project.runService(...options);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it('is created at the first start and used by the next', () => {
    expect(project.listCaches()).toEqual([]);
    runService();
    const [name] = project.listCaches();
    expect(name).toMatch(new RegExp(`^service\\.bundle\\.${process.version}-.+\\.cache$`));
    const { ino } = statSync(join(project.programs, name!));
    expect(runService()).toBe('text 1\n');
    expect(project.listCaches()).toEqual([name]);
    expect(statSync(join(project.programs, name!)).ino).toBe(ino);
  });

  it('is not created by a program that fails', () => {
    project.writeFile('src/main.ts', 'process.exit(3);\n');
    project.buildProject();
    expect(project.runService().status).toBe(3);
    expect(project.listCaches()).toEqual([]);
  });

  it('is ignored and replaced after a change of the bundle, even to one of the same length', () => {
    runService();
    const before = readCache();
    const bundle = join(project.programs, 'service.bundle.js');
    writeFileSync(bundle, readFileSync(bundle, 'utf8').replace('text 1', 'text 2'));
    expect(runService()).toBe('text 2\n');
    expect(readCache().equals(before)).toBe(false);
    expect(runService()).toBe('text 2\n');
  });

  it('is ignored and replaced if it is damaged', () => {
    runService();
    const [name] = project.listCaches();
    const content = readCache();
    for (const damaged of [Buffer.alloc(0), content.subarray(0, 100), Buffer.alloc(content.length)]) {
      writeFileSync(join(project.programs, name!), damaged);
      expect(runService()).toBe('text 1\n');
      expect(readCache(name).equals(damaged)).toBe(false);
    }
  });

  it('is not that of another version of Node.js', () => {
    runService();
    const [name] = project.listCaches();
    const other = name!.replace(process.version, 'v1.0.0');
    renameSync(join(project.programs, name!), join(project.programs, other));
    expect(runService()).toBe('text 1\n');
    expect(project.listCaches().sort()).toEqual([name, other].sort());
  });

  it('is one for each version of Node.js', () => {
    for (const node of [process.execPath, ...OTHER_NODES, process.execPath, ...OTHER_NODES])
      expect(runService([], { node })).toBe('text 1\n');
    expect(project.listCaches()).toHaveLength(new Set([process.execPath, ...OTHER_NODES]).size);
  });

  it('is one for each set of V8’s flags', () => {
    for (const options of [[], ['--no-opt'], [], ['--no-opt']]) expect(runService(options)).toBe('text 1\n');
    expect(project.listCaches()).toHaveLength(2);
  });

  it('is used from a machine with another kind of CPU', () => {
    runService();
    const [name] = project.listCaches();
    const other = name!.replace(/-[^-]+\.cache$/, '-0.cache');
    renameSync(join(project.programs, name!), join(project.programs, other));
    runService();
    expect(project.listCaches()).toEqual([other]);
  });

  it('is complete or missing after kill -9 while it is written', () => {
    const preload = join(project.folder, 'killed.cjs');
    writeFileSync(
      preload,
      `const fs = require('node:fs');
      const { writeFileSync } = fs;
      fs.writeFileSync = (file, content) => {
        writeFileSync(file, content.subarray(0, 1_000));
        process.kill(process.pid, 'SIGKILL');
      };`,
    );
    expect(project.runService(['--require', preload])).toMatchObject({ signal: 'SIGKILL', stdout: 'text 1\n' });
    expect(project.listCaches()).toEqual([expect.stringMatching(/\.cache\.\d+$/)]);
    expect(runService()).toBe('text 1\n');
    expect(project.listCaches()).toContainEqual(expect.stringMatching(/\.cache$/));
  });

  it('is left out in a folder that this user can’t write', () => {
    const uid = process.getuid!() === 0 ? OTHER_USER : undefined;
    const makeReadOnly = 'require("node:fs").accessSync = () => { throw new Error("EROFS"); };';
    const preload = join(project.folder, 'read-only.cjs');
    writeFileSync(preload, makeReadOnly);
    expect(runService(uid === undefined ? ['--require', preload] : [], { uid })).toBe('text 1\n');
    expect(project.listCaches()).toEqual([]);
  });

  describeWithSmallDisks()('on a full disk', () => {
    it('is left out', () => {
      const smallDisk = SmallDisk.createDisk(2);
      try {
        cpSync(project.programs, join(smallDisk.dir, 'dist', 'programs'), { recursive: true });
        const copy = new BundledProject(smallDisk.dir);
        smallDisk.fillDisk();
        expect(copy.runService()).toMatchObject({ status: 0, stdout: 'text 1\n', stderr: '' });
        expect(copy.listCaches()).toEqual([]);
        smallDisk.freeSpace();
        copy.runService();
        expect(copy.listCaches()).toHaveLength(1);
      } finally {
        smallDisk.removeDisk();
      }
    });
  });
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialFile, type Login } from './credential-file.ts';

const LOGIN: Login = { kind: 'token', token: 'svc_pat_x' };

describe('the file of logins', () => {
  let folder: string;
  let file: CredentialFile;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'external-api-logins-'));
    file = new CredentialFile({ XDG_CONFIG_HOME: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is readable only by its owner', () => {
    file.saveLogin('https://one.example', LOGIN, true);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it('has the host of the last login as the current one, and another one after a logout there', () => {
    file.saveLogin('https://one.example', LOGIN, true);
    file.saveLogin('https://two.example', LOGIN, true);
    file.saveLogin('https://one.example', { ...LOGIN, token: 'svc_pat_y' }, false);
    expect(file.currentHost).toBe('https://two.example');
    file.deleteLogin('https://two.example');
    expect([file.currentHost, file.listHosts()]).toEqual(['https://one.example', ['https://one.example']]);
    file.deleteLogin('https://one.example');
    expect([file.currentHost, file.listHosts()]).toEqual([null, []]);
  });

  it.each(['null', '[]', '1'])('is damaged if its hosts are %s', (hosts) => {
    file.saveLogin('https://one.example', LOGIN, true);
    writeFileSync(file.path, `{ "version": 1, "currentHost": null, "hosts": ${hosts} }`);
    expect(() => file.saveLogin('https://one.example', LOGIN, true)).toThrow('credentials.json is damaged.');
  });
});

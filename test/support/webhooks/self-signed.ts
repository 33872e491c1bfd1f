import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchFolder } from '../scratch';

/** A key and a certificate for 127.0.0.1 that nobody else has signed. */
export async function selfSigned(): Promise<{ key: Buffer; cert: Buffer; certFile: string }> {
  const folder = scratchFolder();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const what = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', [...what, '-keyout', keyFile, '-out', certFile, ...subject]);
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), certFile };
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createScratchFolder } from '../scratch-folder';

/** Creates a key and a self-signed certificate for 127.0.0.1. */
export async function createSelfSignedCertificate(): Promise<{
  key: Buffer;
  cert: Buffer;
  certFile: string;
}> {
  const folder = createScratchFolder();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const requestOptions = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  await promisify(execFile)('openssl', [...requestOptions, '-keyout', keyFile, '-out', certFile, ...subject]);
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), certFile };
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Files of a certificate and its key, in PEM. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Private certificate authority of a test, whose files are in a folder of the test. */
export class CertificateAuthority {
  private readonly files: CertificateFiles;

  constructor(
    private readonly folder: string,
    readonly name: string,
  ) {
    this.files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
    createCertificate(this.files, name);
  }

  get certificate(): string {
    return readFileSync(this.files.cert, 'utf8');
  }

  /** Returns the texts of a new certificate and its key. */
  issueCertificate(commonName: string, subjectAltName = 'IP:127.0.0.1'): CertificateFiles {
    const files = { cert: join(this.folder, 'issued.crt'), key: join(this.folder, 'issued.key') };
    const { cert, key } = this.files;
    createCertificate(files, commonName, '-CA', cert, '-CAkey', key, '-addext', `subjectAltName=${subjectAltName}`);
    return { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  }
}

function createCertificate({ cert, key }: CertificateFiles, commonName: string, ...more: string[]): void {
  const options = ['-x509', ...NEW_KEY, '-days', '2', '-keyout', key, '-out', cert, '-subj', `/CN=${commonName}`];
  execFileSync('openssl', ['req', ...options, ...more], { stdio: 'ignore' });
}
